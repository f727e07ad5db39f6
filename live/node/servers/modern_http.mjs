// The server of build.mjs over HTTP: modern_http.mjs PORT serves /mcp on the loopback interface.
// Modern requests stand alone; a legacy client gets a session, a GET stream, and streams that can be resumed.

import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import {
    WebStandardStreamableHTTPServerTransport, createMcpHandler, isLegacyRequest,
} from '@modelcontextprotocol/server';
import { build } from './build.mjs';

const onerror = error => console.error(`live-modern-ts: ${error.message}`);
const modern = createMcpHandler(context => build(context, modern.notify), { legacy: 'reject', onerror });

// --- legacy sessions ---------------------------------------------------------------------------------------------

const sessions = new Map();

async function legacy(request) {
    const id = request.headers.get('mcp-session-id');
    if (id && !sessions.has(id)) {
        const error = { code: -32001, message: 'Session not found' };
        return Response.json({ jsonrpc: '2.0', error, id: null }, { status: 404 });
    }
    return (sessions.get(id) ?? await open()).handleRequest(request);
}

async function open() {
    const transport = new WebStandardStreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: id => sessions.set(id, transport),
        onsessionclosed: id => sessions.delete(id),
        eventStore: events(),
        retryInterval: 100,
    });
    await build({ era: 'legacy' }, modern.notify).connect(transport);
    return transport;
}

// Keeps every event of a session, so that a stream can go on where it was cut.
function events() {
    const kept = [];
    return {
        async storeEvent(stream, message) {
            kept.push({ stream, message });
            return String(kept.length - 1);
        },
        async getStreamIdForEventId(id) {
            return kept[id]?.stream;
        },
        async replayEventsAfter(id, { send }) {
            const { stream } = kept[id];
            for (let next = Number(id) + 1; next < kept.length; next++) {
                if (kept[next].stream === stream && kept[next].message.jsonrpc) await send(String(next), kept[next].message);
            }
            return stream;
        },
    };
}

// --- node:http ---------------------------------------------------------------------------------------------------

createServer(async (incoming, outgoing) => {
    const hasBody = !['GET', 'HEAD', 'DELETE'].includes(incoming.method);
    const gone = new AbortController();
    outgoing.on('close', () => gone.abort());
    const request = new Request(new URL(incoming.url, 'http://127.0.0.1'), {
        method: incoming.method,
        headers: incoming.headers,
        signal: gone.signal,
        ...hasBody && { body: Readable.toWeb(incoming), duplex: 'half' },
    });
    try {
        const isOurs = new URL(request.url).pathname === '/mcp';
        const response = !isOurs ? new Response('not here', { status: 404 })
            : await isLegacyRequest(request) ? await legacy(request) : await modern.fetch(request);
        if (incoming.method !== 'POST') console.error(`${incoming.method} is answered ${response.status}`);
        outgoing.writeHead(response.status, Object.fromEntries(response.headers));
        outgoing.flushHeaders();
        if (response.body) Readable.fromWeb(response.body).on('error', () => outgoing.destroy()).pipe(outgoing);
        else outgoing.end();
    } catch (error) {
        onerror(error);
        if (outgoing.headersSent) outgoing.destroy();
        else outgoing.writeHead(500).end();
    }
}).listen(Number(process.argv[2]), '127.0.0.1', () => console.error('listening'));
