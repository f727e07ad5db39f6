// The server of build.mjs over stdio.
// One instance serves one connection, in whichever protocol era the client opens it with.

import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { build } from './build.mjs';

serveStdio(build, { onerror: error => console.error(`live-modern-ts: ${error.message}`) });
