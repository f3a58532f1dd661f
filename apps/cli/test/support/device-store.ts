import type { IncomingMessage, ServerResponse } from 'node:http';
import { fakeStore } from './fake-store.ts';

/** Tokens in the format of the store. */
export const TOKEN = 'svcd_0123456789abcdefghijABCDEFGHIJ12345';
export const OLD_TOKEN = 'svcd_ABCDEFGHIJ1234567890abcdefghijKLMNO';

/** One response of the store: a status with a body, or a closed connection. */
type Answer = { status: number; body: unknown; headers?: Record<string, string> } | 'hang up';

export const ok = (body: unknown): Answer => ({ status: 200, body });

export const refusal = (status: number, code: string, extras: Record<string, unknown> = {}): Answer => ({
  status,
  body: { code, message: `No: ${code}.`, requestId: 'r-1', ...extras },
});

export const PENDING = ok({ pending: true });

export const WHO = {
  kind: 'token',
  person: { id: 'p-1', name: 'Anna', email: 'anna@example.org' },
  token: {
    id: 't-1',
    name: 'svc on laptop',
    kind: 'device',
    scopes: ['publish:update', 'yank'],
    expiresAt: '2026-04-02T03:04:05.678Z',
  },
  publishers: [
    { slug: 'example', name: 'Example', role: 'member', verified: true },
    { slug: 'other', name: 'Other', role: 'member', verified: false },
  ],
};

export const START = {
  deviceCode: 'the-secret-code-of-the-device',
  userCode: 'BCDF-GHJK',
  interval: 5,
  expiresIn: 600,
};

/** Overrides of the responses of a working store. `polls` are the responses to polls in order; the last one repeats. */
type Script = {
  start?: Record<string, unknown>;
  polls?: readonly Answer[];
  who?: Answer;
  revoke?: Answer;
  /** Called with each request, before it is answered. */
  onRequest?: (url: string) => void;
};

function send(response: ServerResponse, answer: Answer): void {
  if (answer === 'hang up') {
    response.destroy();
    return;
  }
  response
    .writeHead(answer.status, { 'Content-Type': 'application/json', ...answer.headers })
    .end(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body));
}

/** A fake store with the device sign-in API. */
export async function deviceStore(script: Script = {}) {
  const polls = [...(script.polls ?? [ok({ token: TOKEN })])];
  const answerTo = (request: IncomingMessage, url: string): Answer => {
    const verifyUrl = `http://${request.headers.host}/device`;
    if (url === '/api/developer/device/start') return ok({ ...START, verifyUrl, ...script.start });
    if (url === '/api/developer/device/poll') return (polls.length > 1 ? polls.shift() : polls[0]) as Answer;
    if (url === '/api/developer/whoami') return script.who ?? ok(WHO);
    if (url === '/api/developer/token') return script.revoke ?? ok({ id: 't-1' });
    return refusal(404, 'not_found');
  };
  return fakeStore((request, response) => {
    const url = request.url ?? '';
    script.onRequest?.(url);
    send(response, answerTo(request, url));
  });
}
