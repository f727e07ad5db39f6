//! The rules of what is held.

use std::time::Duration;

use crate::contract::{Broken, TTL, Tested, claim, ensure, failed, holder, place, places};
use crate::{Claimed, Cover, LeaseStore, Refusal, Released};

pub(super) async fn all_or_nothing<S: LeaseStore>(store: &Tested<S>) -> Result<(), Broken> {
    let rule = "a claim gets everything or nothing";
    ensure(store.is_granted("a", &["/w/1"]).await?, rule, &"a free path was refused")?;
    let claimed = store.acquire("b", &["/w/2", "/w/1/x"]).await?;
    let Claimed::Refused(Refusal::Conflict { conflicts }) = &claimed else {
        return ensure(false, rule, &claimed);
    };
    let is_named = conflicts.iter().any(|it| {
        (it.holder.as_str(), it.leased.to_string().as_str()) == ("a", "/w/1")
            && it.place.to_string() == "/w/1/x"
    });
    ensure(
        is_named && conflicts.len() == 1,
        "a conflict names who is in the way, and where",
        conflicts,
    )?;
    let leases = store.leases().await?;
    ensure(leases.len() == 1, rule, &leases)
}

pub(super) async fn both_ways<S: LeaseStore>(store: &Tested<S>) -> Result<(), Broken> {
    let rule =
        "a path collides with what holds it, what it holds, and what it cannot be compared with";
    ensure(store.is_granted("a", &["/w/d", "/w/e/f"]).await?, rule, &"/w/d, /w/e/f")?;
    for (path, is_free) in [
        ("/w/d", false),
        ("/w/d/x", false),
        ("/w/e", false),
        ("/", false),
        ("d", false),
        ("/w/dd", true),
    ] {
        ensure(store.is_granted("b", &[path]).await? == is_free, rule, &path)?;
    }
    let rule = "whose a path is depends on who asks, and all are told of one moment";
    let asked = places(&["/w/d/x", "/w/e", "/w/dd", "/w/free", "x"])?;
    let of_a = kinds(&store.0.covering(&holder("a")?, &asked).await.map_err(failed)?);
    ensure(of_a == ["own", "free", "other", "free", "unknown"], rule, &of_a)?;
    let of_b = kinds(&store.0.covering(&holder("b")?, &asked).await.map_err(failed)?);
    ensure(of_b == ["other", "other", "own", "free", "unknown"], rule, &of_b)
}

pub(super) async fn again<S: LeaseStore>(store: &Tested<S>) -> Result<(), Broken> {
    let rule = "who claims a path again holds it for the new time, as one lease";
    store.acquire("a", &["/w/1", "/w/2"]).await?;
    let longer = claim("a", &["/w/1/"])?.for_time(TTL.saturating_mul(2));
    let claimed = store.0.acquire(longer).await.map_err(failed)?;
    ensure(matches!(claimed, Claimed::Granted(_)), rule, &claimed)?;
    let leases = store.leases().await?;
    let times: Vec<Duration> = leases.iter().map(|it| it.ttl).collect();
    ensure(times == [TTL.saturating_mul(2), TTL], rule, &leases)
}

pub(super) async fn given_back<S: LeaseStore>(store: &Tested<S>) -> Result<(), Broken> {
    let rule = "a release gives back exactly what it names, or everything";
    store.acquire("a", &["/w/1", "/w/2", "/w/3"]).await?;
    store.acquire("b", &["/w/4"]).await?;
    let (a, b) = (holder("a")?, holder("b")?);
    let named = places(&["/w/1", "/w/2/x", "/w/4"])?;
    let released = store.0.release(&a, Some(&named)).await.map_err(failed)?;
    let expected =
        Released { released: places(&["/w/1"])?, not_held: places(&["/w/2/x", "/w/4"])? };
    ensure(released == expected, rule, &released)?;
    let released = store.0.release(&a, None).await.map_err(failed)?;
    ensure(released.released == places(&["/w/2", "/w/3"])?, rule, &released)?;
    store.acquire("a", &["/w/1"]).await?;
    let counts = [
        store.0.release_holder(&a).await.map_err(failed)?,
        store.0.release_holder(&a).await.map_err(failed)?,
        store.0.release_all().await.map_err(failed)?,
        store.0.release_holder(&b).await.map_err(failed)?,
    ];
    ensure(counts == [1, 0, 1, 0], "a release counts what it gave back", &counts)?;
    let status = store.status().await?;
    ensure(status.is_empty(), "after everything is given back there is nothing", &status)
}

pub(super) async fn senseless<S: LeaseStore>(store: &Tested<S>) -> Result<(), Broken> {
    let rule = "a claim that makes no sense is refused, and says why";
    let no_time = claim("a", &["/w"])?.for_time(Duration::ZERO);
    let claimed = store.0.acquire(no_time).await.map_err(failed)?;
    ensure(claimed == Claimed::Refused(Refusal::InvalidTtl), rule, &claimed)?;
    let claimed = store.acquire("a", &[]).await?;
    ensure(claimed == Claimed::Refused(Refusal::NoPaths), rule, &claimed)?;
    let many = ["/1", "/2", "/3", "/4", "/5", "/6", "/7", "/8", "/9"];
    let claimed = store.acquire("a", &many).await?;
    ensure(claimed == Claimed::Refused(Refusal::TooMany { limit: 8 }), rule, &claimed)?;
    let leases = store.leases().await?;
    ensure(leases.is_empty(), rule, &leases)?;
    let endless = claim("a", &["/w"])?.for_time(Duration::MAX);
    store.0.acquire(endless).await.map_err(failed)?;
    let leases = store.leases().await?;
    let is_cut = leases.iter().all(|it| it.ttl == TTL.saturating_mul(2));
    ensure(is_cut, "no lease lasts longer than the longest time", &leases)
}

pub(super) async fn ends<S: LeaseStore>(store: &Tested<S>) -> Result<(), Broken> {
    let rule = "a lease ends when its time is over, and not before";
    store.acquire("a", &["/w"]).await?;
    store.pass(TTL / 4).await;
    ensure(!store.is_granted("b", &["/w"]).await?, rule, &"it ended early")?;
    store.pass(TTL).await;
    let leases = store.leases().await?;
    ensure(leases.is_empty(), rule, &leases)?;
    ensure(store.is_granted("b", &["/w"]).await?, rule, &"it never ended")
}

pub(super) async fn pins<S: LeaseStore>(store: &Tested<S>) -> Result<(), Broken> {
    let rule = "a pin keeps what is held, and only that";
    let (a, inside) = (holder("a")?, places(&["/w/x", "/w/y"])?);
    let admission = store.0.admit(&a, &inside, &[]).await.map_err(failed)?;
    ensure(admission.pin.is_none(), rule, &admission)?;
    store.acquire("a", &["/w"]).await?;
    let admission = store.0.admit(&a, &inside, &[]).await.map_err(failed)?;
    let Some(pin) = admission.pin else {
        return ensure(false, rule, &"a lease that is held was not pinned");
    };
    store.pass(TTL.saturating_mul(2)).await;
    let status = store.status().await?;
    let is_kept = status.leases.iter().map(|it| it.pins).eq([1]) && status.pins.len() == 1;
    ensure(is_kept, "a pinned lease outlasts its end", &status)?;
    ensure(!store.is_granted("b", &["/w/x"]).await?, "a pinned lease is in the way", &status)?;
    let count = store.0.release_holder(&a).await.map_err(failed)?;
    let status = store.status().await?;
    let is_pending = count == 1 && status.leases.iter().all(|it| it.release_pending);
    ensure(
        is_pending && !status.leases.is_empty(),
        "a pinned lease outlasts its release",
        &status,
    )?;
    store.0.unpin(pin);
    store.until("what a pin kept ends with it", |status| status.is_empty()).await
}

pub(super) async fn admitted<S: LeaseStore>(store: &Tested<S>) -> Result<(), Broken> {
    let rule = "a call is told whose its places are, and then whose its guesses";
    let (a, own) = (holder("a")?, places(&["/w/x", "/w/y"])?);
    store.acquire("a", &["/w"]).await?;
    store.acquire("b", &["/v"]).await?;
    let others = places(&["/v/1", "/u", "x"])?;
    let admission = store.0.admit(&a, &others, &own).await.map_err(failed)?;
    let found = kinds(&admission.covers);
    ensure(found == ["other", "free", "unknown", "own", "own"], rule, &found)?;
    ensure(admission.pin.is_none(), "a guess pins nothing", &admission)?;
    let admission = store.0.admit(&a, &own, &others).await.map_err(failed)?;
    let found = kinds(&admission.covers);
    ensure(found == ["own", "own", "other", "free", "unknown"], rule, &found)?;
    let rule = "what is one's own is pinned, whatever else a call names";
    let mixed = places(&["/v/1", "/w/x", "/u"])?;
    let second = store.0.admit(&a, &mixed, &[]).await.map_err(failed)?;
    let status = store.status().await?;
    let (Some(first), Some(second), [one, other]) = (admission.pin, second.pin, &*status.pins)
    else {
        return ensure(false, rule, &status);
    };
    let is_of_one_lease = one.generations == other.generations && one.generations.len() == 1;
    ensure(is_of_one_lease && [one.id, other.id] == [first, second], rule, &status)?;
    store.0.unpin(first);
    store.until("a pin is taken out alone", |status| status.pins.len() == 1).await?;
    let pins = store.status().await?.pins;
    ensure(pins.iter().map(|it| it.id).eq([second]), "a pin is taken out alone", &pins)
}

pub(super) async fn writers(store: &Tested<impl LeaseStore>) -> Result<(), Broken> {
    let rule = "the last writer is somebody else, who wrote there";
    store.0.wrote(&holder("a")?, &places(&["/w/1"])?);
    let path = place("/w/1")?;
    let asked = async {
        loop {
            match store.0.last_writer(&holder("b")?, &path).await.map_err(failed)? {
                Some(writer) => return Ok::<_, Broken>(writer),
                None => store.pass(Duration::from_millis(10)).await,
            }
        }
    };
    let writer = store.within(asked).await.transpose()?;
    ensure(writer.as_ref().is_some_and(|it| it.holder.as_str() == "a"), rule, &writer)?;
    for (name, path) in [("a", "/w/1"), ("b", "/w/2")] {
        let writer = store.0.last_writer(&holder(name)?, &place(path)?).await.map_err(failed)?;
        ensure(writer.is_none(), rule, &writer)?;
    }
    Ok(())
}

fn kinds(covers: &[Cover]) -> Vec<&'static str> {
    let kind = |cover: &Cover| match cover {
        Cover::Free => "free",
        Cover::Other { .. } => "other",
        Cover::Own { .. } => "own",
        Cover::Unknown { .. } => "unknown",
    };
    covers.iter().map(kind).collect()
}
