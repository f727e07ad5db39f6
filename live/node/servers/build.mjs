// A small server on the TypeScript SDK v2, for `cargo xtask live`: what it offers.
// modern.mjs serves it over stdio, modern_http.mjs over HTTP, both in either protocol era.
// Its twin is ../../python/modern_server.py: same names, same answers where the SDKs allow.

import { setTimeout as sleep } from 'node:timers/promises';
import {
    McpServer, ResourceTemplate, acceptedContent, completable, createRequestStateCodec, inputRequired, inputResponse,
} from '@modelcontextprotocol/server';
import * as z from 'zod';

const text = value => ({ content: [{ type: 'text', text: value }] });

// Signs the state that travels through the client, so that a client which alters a byte is found out.
const state = createRequestStateCodec({ key: 'a key for tests only, and long enough' });

// What outlives an instance: over HTTP each modern request gets one of its own.
const slow = []; // what became of every slow call, in order
let extraIsListed = false;
let touched = 0;

// Builds an instance; `publish` tells those who listen by subscriptions/listen over HTTP, where no instance knows them.
export function build({ era }, publish) {
    const server = new McpServer(
        { name: 'live-modern-ts', version: '1.0.0' },
        {
            instructions: 'A test peer.',
            capabilities: { tools: { listChanged: true }, resources: { subscribe: true, listChanged: true }, logging: {} },
            cacheHints: {
                'tools/list': { ttlMs: 60_000, cacheScope: 'public' },
                'resources/read': { ttlMs: 5_000, cacheScope: 'private' },
            },
            requestState: { verify: state.verify },
        },
    );

    // --- plain calls -------------------------------------------------------------------------------------------

    server.registerTool('echo', {
        description: 'Returns its text.',
        inputSchema: z.object({ text: z.string() }),
        annotations: { readOnlyHint: true },
    }, ({ text: value }) => text(value));

    server.registerTool('add', {
        description: 'Adds two integers.',
        inputSchema: z.object({ a: z.number().int(), b: z.number().int() }),
        outputSchema: z.object({ sum: z.number().int() }),
        annotations: { readOnlyHint: true },
    }, ({ a, b }) => ({ ...text(String(a + b)), structuredContent: { sum: a + b } }));

    server.registerTool('primes', {
        description: 'The first primes, as a structured result that is an array.',
        inputSchema: z.object({ count: z.number().int().min(0).max(5) }),
        outputSchema: z.array(z.number().int()),
    }, ({ count }) => {
        const found = [2, 3, 5, 7, 11].slice(0, count);
        return { ...text(found.join(' ')), structuredContent: found };
    });

    server.registerTool('fail', {
        description: 'Always fails.',
        inputSchema: z.object({ reason: z.string() }),
    }, ({ reason }) => ({ ...text(`failed: ${reason}`), isError: true }));

    server.registerTool('nothing', {
        description: 'Answers with a structured result that is null.',
        inputSchema: z.object({}),
    }, () => ({ content: [], structuredContent: null }));

    // --- calls that speak while they run -----------------------------------------------------------------------

    server.registerTool('count', {
        description: 'Reports one progress step after another.',
        inputSchema: z.object({ steps: z.number().int().min(1).max(100) }),
    }, async ({ steps }, ctx) => {
        const progressToken = ctx.mcpReq._meta?.progressToken;
        for (let progress = 1; progressToken !== undefined && progress <= steps; progress++) {
            await ctx.mcpReq.notify({
                method: 'notifications/progress',
                params: { progressToken, progress, total: steps, message: `step ${progress}` },
            });
        }
        return text(`counted to ${steps}`);
    });

    server.registerTool('log', {
        description: 'Sends one log message: by the SDK, which keeps to the level the client asked for, or past it (unasked).',
        inputSchema: z.object({
            level: z.enum(['debug', 'info', 'warning', 'error']),
            message: z.string(),
            unasked: z.boolean().default(false),
        }),
    }, async ({ level, message, unasked }, ctx) => {
        const params = { level, logger: 'live', data: message };
        if (unasked) await ctx.mcpReq.notify({ method: 'notifications/message', params });
        else await ctx.mcpReq.log(level, message, 'live');
        return text('logged');
    });

    server.registerTool('slow', {
        description: 'Reports one progress step, then waits. Its end is recorded for slow_report.',
        inputSchema: z.object({ ms: z.number().int().min(0) }),
    }, async ({ ms }, ctx) => {
        const progressToken = ctx.mcpReq._meta?.progressToken;
        if (progressToken !== undefined) {
            await ctx.mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress: 1, total: 2 } });
        }
        const run = { ms, end: 'running' };
        slow.push(run);
        await sleep(ms, undefined, { signal: ctx.mcpReq.signal }).catch(() => {});
        run.end = ctx.mcpReq.signal.aborted ? 'cancelled' : 'finished';
        return text(run.end);
    });

    server.registerTool('cut', {
        description: 'Ends the stream that its answer would come on, and answers then.',
        inputSchema: z.object({}),
    }, async (_args, ctx) => {
        ctx.http?.closeSSE?.(); // there is none over stdio, and in the modern era no way to go on
        await sleep(50);
        return text(ctx.http?.closeSSE ? 'cut' : 'whole');
    });

    server.registerTool('slow_report', {
        description: 'How each slow call ended: running, finished or cancelled.',
        inputSchema: z.object({}),
    }, () => text(slow.map(run => run.end).join(' ')));

    // --- calls that ask the client -----------------------------------------------------------------------------
    // Written once as input rounds. On a legacy connection the SDK sends real requests to the client instead.

    const name = z.object({ name: z.string().describe('Your name') });
    const colour = z.object({ colour: z.enum(['red', 'green', 'blue']) });

    server.registerTool('ask', {
        description: 'Asks for a name, then in a second round for a colour.',
        inputSchema: z.object({}),
    }, async (_args, ctx) => {
        const answers = ctx.mcpReq.inputResponses;
        const known = ctx.mcpReq.requestState(); // undefined in round one
        const key = known ? 'colour' : 'name';
        const given = inputResponse(answers, key);
        if (given.kind === 'elicit' && given.action !== 'accept') return text(`no ${key}: ${given.action}`);

        if (known) {
            const chosen = acceptedContent(answers, 'colour', colour);
            if (chosen) return text(`${known.name} likes ${chosen.colour}`);
        }
        const named = known ?? acceptedContent(answers, 'name', name);
        if (named) {
            return inputRequired({
                inputRequests: { colour: inputRequired.elicit({ message: `Which colour, ${named.name}?`, requestedSchema: colour }) },
                requestState: await state.mint(named),
            });
        }
        return inputRequired({ inputRequests: { name: inputRequired.elicit({ message: 'What is your name?', requestedSchema: name }) } });
    });

    server.registerTool('ask_model', {
        description: 'Asks the client for a sample of its model.',
        inputSchema: z.object({ prompt: z.string() }),
    }, ({ prompt }, ctx) => {
        const given = inputResponse(ctx.mcpReq.inputResponses, 'sample');
        if (given.kind === 'sampling') return text(`model said: ${[given.result.content].flat()[0].text}`);
        const message = { role: 'user', content: { type: 'text', text: prompt } };
        return inputRequired({ inputRequests: { sample: inputRequired.createMessage({ messages: [message], maxTokens: 50 }) } });
    });

    server.registerTool('ask_roots', {
        description: 'Asks the client for its roots.',
        inputSchema: z.object({}),
    }, (_args, ctx) => {
        const given = inputResponse(ctx.mcpReq.inputResponses, 'roots');
        if (given.kind === 'roots') return text(`roots: ${given.roots.map(root => root.uri).join(' ')}`);
        return inputRequired({ inputRequests: { roots: inputRequired.listRoots() } });
    });

    // --- a list that changes, resources, a prompt ---------------------------------------------------------------

    const extra = server.registerTool('extra', {
        description: 'Listed only after toggle.',
        inputSchema: z.object({}),
    }, () => text('extra'));
    if (!extraIsListed) extra.disable();

    server.registerTool('toggle', {
        description: 'Lists the tool extra, or hides it again.',
        inputSchema: z.object({}),
    }, () => {
        extraIsListed = !extraIsListed;
        if (extraIsListed) extra.enable(); else extra.disable(); // both send tools/list_changed
        publish?.toolsChanged();
        return text(extraIsListed ? 'extra is listed' : 'extra is hidden');
    });

    server.registerResource('counter', 'note://counter', { mimeType: 'text/plain' }, uri => (
        { contents: [{ uri: uri.href, mimeType: 'text/plain', text: `touched ${touched}` }] }
    ));
    server.registerResource('note', new ResourceTemplate('note://by-id/{id}', { list: undefined }), { mimeType: 'text/plain' }, (uri, { id }) => (
        { contents: [{ uri: uri.href, mimeType: 'text/plain', text: `note ${id}` }] }
    ));

    server.registerTool('touch', {
        description: 'Changes note://counter.',
        inputSchema: z.object({}),
    }, async () => {
        touched += 1;
        await server.server.sendResourceUpdated({ uri: 'note://counter' });
        publish?.resourceUpdated('note://counter');
        return text(`touched ${touched}`);
    });

    if (era === 'legacy') { // later revisions subscribe by subscriptions/listen, which the SDK serves itself
        server.server.setRequestHandler('resources/subscribe', () => ({}));
        server.server.setRequestHandler('resources/unsubscribe', () => ({}));
    }

    const languages = ['python', 'pascal', 'rust'];
    server.registerPrompt('review', {
        description: 'Asks for a review.',
        argsSchema: z.object({
            code: z.string(),
            language: completable(z.string(), value => languages.filter(known => known.startsWith(value))),
        }),
    }, ({ code, language }) => (
        { messages: [{ role: 'user', content: { type: 'text', text: `Review this ${language}: ${code}` } }] }
    ));

    return server;
}
