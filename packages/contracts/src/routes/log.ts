import { z } from 'zod';
import { LogProof } from '../records/keys.ts';
import { CheckpointQuery, LogComparison, LogProofQuery } from '../records/log.ts';
import { caching, route } from './route.ts';

const OCTETS = 'application/octet-stream';

/** The log of what changes trust, in the formats of C2SP. */
export const logRoutes = {
  logCheckpoint: route.keys('members GET /checkpoint', {
    summary: 'Get the checkpoint of the log of the store (c2sp.org/tlog-checkpoint).',
    success: { status: 200, type: 'text/plain' },
    headers: caching,
    errors: ['not_found'],
  }),
  logTile: route.keys('members GET /tile/:place{.+}', {
    summary:
      'Get hashes of the log (`/tile/<level>/<index>`), or entries (`/tile/entries/<index>`), as c2sp.org/tlog-tiles says.',
    params: z.object({ place: z.string().describe('Level, index and width, such as `0/x001/234.p/5`.') }),
    success: { status: 200, type: OCTETS },
    headers: caching,
  }),
  logProof: route.keys('members GET /api/apps/:appId/versions/:version/log-proof', {
    summary: 'Get the proof that a published version is in the log.',
    query: LogProofQuery,
    success: { status: 200, body: LogProof },
    headers: { 'Cache-Control': caching['Cache-Control'] },
    errors: ['not_found'],
  }),
  logCompare: route.keys('members GET /api/log/compare', {
    summary:
      'Compare a checkpoint that the store signed with its log; the store logs a contradiction for its operator.',
    query: CheckpointQuery,
    success: { status: 200, body: LogComparison },
    errors: ['invalid_request', 'not_found'],
  }),
};
