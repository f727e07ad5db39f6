//! A plot of one curve, as SVG, both axes logarithmic.

use super::curves::Point;
use super::report::number;

/// The plot, with a dashed line that shows what linear would be.
pub(crate) fn plot(title: &str, along: &str, cost: &str, points: &[Point]) -> String {
    let points: Vec<Point> = points.iter().copied().filter(|(x, y)| *x > 0.0 && *y > 0.0).collect();
    let (across, up) =
        (Axis::of(points.iter().map(|it| it.0)), Axis::of(points.iter().map(|it| it.1)));
    let x = |value: f64| LEFT + across.place(value) * (WIDTH - LEFT - RIGHT);
    let y = |value: f64| HEIGHT - BOTTOM - up.place(value) * (HEIGHT - TOP - BOTTOM);
    let mut svg = format!(
        concat!(
            r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" "##,
            r##"font-family="sans-serif" font-size="12"><rect width="100%" height="100%" fill="#fff"/>"##,
            "\n"
        ),
        WIDTH = WIDTH,
        HEIGHT = HEIGHT
    );
    let text = |x: f64, y: f64, anchor: &str, extra: &str, words: &str| {
        format!(
            r##"<text x="{x:.0}" y="{y:.0}" text-anchor="{anchor}" {extra}>{}</text>{}"##,
            escaped(words),
            "\n"
        )
    };
    svg.push_str(&text(WIDTH / 2.0, 20.0, "middle", r#"font-size="14""#, title));
    svg.push_str(&text(WIDTH / 2.0, HEIGHT - 8.0, "middle", "", along));
    let turned = format!(r#"transform="rotate(-90 14 {:.0})""#, HEIGHT / 2.0);
    svg.push_str(&text(14.0, HEIGHT / 2.0, "middle", &turned, cost));
    for decade in across.decades() {
        svg.push_str(&line((x(decade), TOP), (x(decade), HEIGHT - BOTTOM), GRID));
        svg.push_str(&text(x(decade), HEIGHT - BOTTOM + 16.0, "middle", "", &number(decade)));
    }
    for decade in up.decades() {
        svg.push_str(&line((LEFT, y(decade)), (WIDTH - RIGHT, y(decade)), GRID));
        svg.push_str(&text(LEFT - 6.0, y(decade) + 4.0, "end", "", &number(decade)));
    }
    if let (Some(first), Some(last)) = (points.first(), points.last()) {
        // Linear, through the last point: as far down as there is room.
        let from = first.0.max(last.0 * up.least() / last.1);
        let linear = (x(from), y(last.1 * from / last.0));
        svg.push_str(&line(linear, (x(last.0), y(last.1)), LINEAR));
    }
    let path: Vec<String> =
        points.iter().map(|point| format!("{:.1},{:.1}", x(point.0), y(point.1))).collect();
    svg.push_str(&format!(
        "<polyline points=\"{}\" fill=\"none\" stroke=\"#06c\" stroke-width=\"2\"/>\n",
        path.join(" ")
    ));
    for point in &points {
        let (x, y) = (x(point.0), y(point.1));
        svg.push_str(&format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"#06c\"/>\n"));
    }
    svg.push_str("</svg>\n");
    svg
}

/// Whole powers of ten, from one below the least value to one above the greatest.
struct Axis {
    from: i32,
    to: i32,
}

impl Axis {
    fn of(values: impl Iterator<Item = f64> + Clone) -> Self {
        let least = values.clone().fold(f64::INFINITY, f64::min);
        let most = values.fold(f64::NEG_INFINITY, f64::max);
        if !least.is_finite() || !most.is_finite() {
            return Self { from: 0, to: 1 };
        }
        let from = least.log10().floor() as i32;
        Self { from, to: (most.log10().ceil() as i32).max(from + 1) }
    }

    /// Between 0 and 1.
    fn place(&self, value: f64) -> f64 {
        (value.log10() - f64::from(self.from)) / f64::from(self.to - self.from)
    }

    fn least(&self) -> f64 {
        10f64.powi(self.from)
    }

    fn decades(&self) -> impl Iterator<Item = f64> + use<> {
        (self.from..=self.to).map(|power| 10f64.powi(power))
    }
}

fn line((x, y): Point, (to_x, to_y): Point, style: &str) -> String {
    format!("<line x1=\"{x:.1}\" y1=\"{y:.1}\" x2=\"{to_x:.1}\" y2=\"{to_y:.1}\" {style}/>\n")
}

fn escaped(words: &str) -> String {
    words.replace('&', "&amp;").replace('<', "&lt;")
}

const GRID: &str = r##"stroke="#ddd""##;
const LINEAR: &str = r##"stroke="#999" stroke-dasharray="4 4""##;
const WIDTH: f64 = 560.0;
const HEIGHT: f64 = 340.0;
const LEFT: f64 = 90.0;
const RIGHT: f64 = 30.0;
const TOP: f64 = 36.0;
const BOTTOM: f64 = 48.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plot_has_a_mark_for_each_point_and_stays_inside() {
        let plot = plot("a < b", "n", "µs", &[(1.0, 2.0), (10.0, 20.0), (100.0, 500.0)]);
        assert_eq!(plot.matches("<circle").count(), 3);
        assert!(plot.contains("a &lt; b"));
        let places = plot.split("cx=\"").skip(1).filter_map(|rest| rest.split('"').next());
        for place in places {
            let place: f64 = place.parse().expect("a number");
            assert!((LEFT..=WIDTH - RIGHT).contains(&place), "{place}");
        }
    }

    #[test]
    fn an_axis_has_whole_decades() {
        let decades =
            |values: &[f64]| Axis::of(values.iter().copied()).decades().collect::<Vec<_>>();
        assert_eq!(decades(&[2.0, 300.0]), [1.0, 10.0, 100.0, 1000.0]);
        assert_eq!(decades(&[10.0]), [10.0, 100.0]);
        assert_eq!(decades(&[]), [1.0, 10.0]);
    }
}
