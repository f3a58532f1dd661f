import { setTimeout as sleep } from 'node:timers/promises';
import { packedSample } from '@svc/testkit';
import { rsaKey } from '@svc/testkit/rsa-key';
import { SignJWT } from 'jose';
import { ciQueries } from '../../apps/store/src/extensions/ci/extension.ts';
import { webhookQueries } from '../../apps/store/src/extensions/webhooks/extension.ts';
import type { Figure } from './lib/figure.ts';
import { inTempFolder, median, percentile } from './lib/processes.ts';
import { OPEN_STORE, whileOpen } from './lib/while-open.ts';

const ISSUER = 'https://ci.example.com';
const APP = 'com.example.notes';
const PUBLISHER = { slug: 'example', name: 'Example', verified: true };
/** Exchanges: three of each workflow, as one gets 30 tokens in 15 minutes, and a publisher has at most 100 workflows. */
const EXCHANGES = 300;
const WORKFLOWS = 100;
const YANKS = 60;

type Store = Parameters<Parameters<typeof whileOpen>[1]>[0];

async function call(app: Store['app'], method: string, path: string, body?: unknown): Promise<Response> {
  const isZip = body instanceof Uint8Array;
  const answer = await app.request(OPEN_STORE.url + path, {
    method,
    headers: {
      authorization: `Bearer ${OPEN_STORE.token}`,
      'content-type': isZip ? 'application/zip' : 'application/json',
    },
    ...(body !== undefined && { body: isZip ? (body as Uint8Array<ArrayBuffer>) : JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${method} ${path} returned ${answer.status}: ${await answer.text()}`);
  return answer;
}

/** The server time of exchanging the ID token of a CI job for a publish token: signature, claims, one transaction on SQLite. */
export const idTokens = (): Promise<Figure> =>
  inTempFolder((folder) => {
    const { kty, n, e } = rsaKey().export({ format: 'jwk' });
    const keys = { keys: [{ kty, n, e, kid: 'one', use: 'sig', alg: 'RS256' }] };
    const file = async (_host: string, path: string) => ({
      text: JSON.stringify(path === '/keys' ? keys : { issuer: ISSUER, jwks_uri: `${ISSUER}/keys` }),
    });
    const work = async ({ app, stores }: Store) => {
      await call(app, 'POST', '/api/admin/publishers', PUBLISHER);
      const at = new Date().toISOString();
      for (let n = 0; n < WORKFLOWS; n += 1)
        await ciQueries(stores.db).trustedPublishers.add({
          ...{ id: `w${n}`, publisher: 'example', appId: `${APP}${n}`, issuer: ISSUER, kind: 'github' },
          ...{ claims: { repository: 'ann/notes' }, createdAt: at, madeBy: null, lastUsedAt: null },
        });
      const now = Math.floor(Date.now() / 1_000);
      const bodies = await Promise.all(
        Array.from({ length: EXCHANGES }, async (_, n) => ({
          publisher: 'example',
          appId: `${APP}${n % WORKFLOWS}`,
          idToken: await new SignJWT({ repository: 'ann/notes', jti: `job-${n}` })
            .setProtectedHeader({ alg: 'RS256', kid: 'one' })
            .setIssuer(ISSUER)
            .setAudience(OPEN_STORE.url)
            .setIssuedAt(now)
            .setExpirationTime(now + 600)
            .sign(rsaKey()),
        })),
      );
      const [times, cpu]: [number[], number[]] = [[], []];
      for (const body of bodies) {
        const [began, before] = [performance.now(), process.cpuUsage()];
        await call(app, 'POST', '/api/developer/ci/token', body);
        times.push(performance.now() - began);
        const { user, system } = process.cpuUsage(before);
        cpu.push((user + system) / 1_000);
      }
      const [measured, used] = [times.slice(20), cpu.slice(20)];
      return {
        name: 'Exchange of an ID token of a CI job for a publish token, on SQLite, beside 100 trusted workflows of the publisher',
        measured: `processor time, p50 of ${used.length}; p99 ${percentile(used, 0.99).toFixed(1)} ms; wall-clock p50 ${median(measured).toFixed(1)}, p99 ${percentile(measured, 0.99).toFixed(1)} ms`,
        value: median(used),
        unit: ' ms',
        bound: { most: 5 },
      };
    };
    return whileOpen(folder, work, { sites: { file }, environment: { SVC_CI_ISSUERS: `github=${ISSUER}` } });
  });

/** How long after the answer to a yank the receiver of a webhook has the event. */
export const webhooks = (): Promise<Figure> =>
  inTempFolder((folder) => {
    const arrived = new Map<string, number>();
    const post = async (_url: string, _headers: object, body: string) => {
      const { type, data } = JSON.parse(body) as { type: string; data: { version?: string } };
      if (type === 'version.yanked' && data.version !== undefined)
        arrived.set(data.version, performance.now());
      return { status: 204 };
    };
    const work = async ({ app, stores }: Store) => {
      await call(app, 'POST', '/api/admin/publishers', PUBLISHER);
      const queries = webhookQueries(stores.db);
      await queries.webhooks.add({
        ...{ id: 'hook', publisher: null, url: 'https://hooks.example.com/svc', types: null },
        ...{
          secret: `whsec_${Buffer.alloc(32).toString('base64')}`,
          afterEvent: await queries.events.last(),
        },
        ...{ createdAt: new Date().toISOString(), madeBy: null, disabledAt: null },
      });
      const version = (n: number) => `1.${n}.0`;
      for (let n = 0; n <= YANKS; n += 1) {
        await call(app, 'POST', '/api/apps/publish', packedSample({ version: version(n) }));
        if (n === 0)
          await call(app, 'POST', `/api/moderation/apps/${APP}/versions/${version(0)}/approve`, {});
      }
      const times: number[] = [];
      for (let n = 0; n < YANKS; n += 1) {
        await call(app, 'POST', `/api/apps/${APP}/versions/${version(n)}/yank`, { reason: 'It leaks.' });
        const began = performance.now();
        while (!arrived.has(version(n))) await sleep(2);
        times.push((arrived.get(version(n)) ?? 0) - began);
        // Not in step with the job that sends events.
        await sleep((n * 137) % 400);
      }
      return {
        name: 'From the answer to a yank to the event at the receiver of a webhook, in one process on SQLite',
        measured: `p99 of ${YANKS}; p50 ${median(times).toFixed(0)} ms`,
        value: percentile(times, 0.99),
        unit: ' ms',
        bound: { most: 2_000 },
      };
    };
    return whileOpen(folder, work, { sites: { post } });
  });
