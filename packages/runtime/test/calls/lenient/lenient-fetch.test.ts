import { describe, expect, it, vi } from 'vitest';
import { lenientFetch, RetryLaterError } from '../../../src/calls/lenient/lenient-fetch.ts';
import { RuntimeError } from '../../../src/platform/runtime-error.ts';
import { system } from '../../support/system.ts';

/** A connection whose server answers one after the other; an error is thrown. */
function connectionTo(...answers: (Response | Error)[]) {
  const fetch = lenientFetch(async () => {
    const answer = answers.shift() ?? new Response(null, { status: 410 });
    if (answer instanceof Error) throw answer;
    return answer;
  }, system);
  return {
    post: (body: unknown) => fetch('https://app.example', { method: 'POST', body: JSON.stringify(body) }),
    resume: (id: string) => fetch('https://app.example', { method: 'GET', headers: { 'last-event-id': id } }),
  };
}

const STREAM = { headers: { 'content-type': 'text/event-stream' } };
const dataOf = (...messages: object[]) =>
  messages.map((message) => `data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`).join('');
/** A stream of events that fails after them, when an error is given. */
const streaming = (events: string, error?: Error, status = 200) => {
  let isSent = false;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (!isSent) controller.enqueue(Buffer.from(events));
      else if (error) controller.error(error);
      else controller.close();
      isSent = true;
    },
  });
  return new Response(body, { status, ...STREAM });
};
const cutOff = (...ids: unknown[]) =>
  dataOf(
    ...ids.map((id) => ({
      id,
      error: { code: -32_000, message: 'svc: the connection closed before the response' },
    })),
  );
const tooLarge = (id: unknown) =>
  dataOf({ id, error: { code: -32_000, message: 'svc: the response was too large' } });

const CALL = { jsonrpc: '2.0', id: 7, method: 'tools/call' };
const OTHERS = [{ method: 'notifications/x' }, { id: 5, result: {} }, null, 5];
const LARGE = dataOf({ id: 7, result: { text: 'x'.repeat(70_000) } });

it.each<[what: string, sent: unknown, events: string, ends: string, error?: Error]>([
  [
    'that ends ends its request',
    CALL,
    'event: message\ndata: {"id": 1, "method": "ping", "jsonrpc": "2.0"}\n\n',
    cutOff(7),
  ],
  [
    'ends all requests of a list, and nothing else',
    [CALL, { ...CALL, id: 'b' }, ...OTHERS],
    '',
    cutOff(7, 'b'),
  ],
  ['that answered is at its end', CALL, dataOf({ id: 7, result: {} }), ''],
  [
    'that answered with an error is at its end',
    CALL,
    dataOf({ id: 7, error: { code: 1, message: 'x' } }),
    '',
  ],
  ['that answered the id as a text is at its end', CALL, dataOf({ id: '7', result: {} }), ''],
  [
    'that answered one request ends the other',
    [CALL, { ...CALL, id: 'b' }],
    dataOf({ id: 'b', result: {} }),
    cutOff(7),
  ],
  ['with a request of the same id has no answer', CALL, dataOf({ id: 7, method: 'ping' }), cutOff(7)],
  ['with a large answer is at its end', CALL, LARGE, ''],
  ['of events with ids can be resumed', CALL, 'id: 1\ndata: {}\n\n', ''],
  [
    'that is too large says so',
    CALL,
    dataOf({ id: 1, method: 'ping' }),
    tooLarge(7),
    new RuntimeError('too-large'),
  ],
  [
    'that is too large is not resumed',
    CALL,
    'id: 1\ndata: {}\n\n',
    tooLarge(7),
    new RuntimeError('too-large'),
  ],
  [
    'that fails ends its request',
    CALL,
    dataOf({ id: 1, method: 'ping' }),
    cutOff(7),
    new RuntimeError('too-slow'),
  ],
  [
    'that is reset ends its request',
    CALL,
    dataOf({ id: 1, method: 'ping' }),
    cutOff(7),
    new TypeError('reset'),
  ],
])('a stream %s', async (_what, sent, events, ends, error) => {
  const response = await connectionTo(streaming(events, error)).post(sent);
  expect(await response.text()).toBe(events + ends);
});

it('a repaired event keeps its id', async () => {
  const answer = { jsonrpc: '2.0', id: 7, result: { _meta: null } };
  const whole = { ...answer, result: {} };
  for (const id of ['id: 3\n', '', `: ${'x'.repeat(2_000)}\nid: 3\n`]) {
    const response = await connectionTo(streaming(`${id}data: ${JSON.stringify(answer)}\n\n`)).post(CALL);
    expect(await response.text()).toBe(`${id.replace(/^:.*\n/, '')}data: ${JSON.stringify(whole)}\n\n`);
  }
});

it.each<[object, object]>([
  [{ id: 7, result: { text: 'x'.repeat(70_000), _meta: null } }, { result: { text: 'x'.repeat(70_000) } }],
  [{ id: 7, error: 'x'.repeat(70_000) }, { error: { code: -32_000, message: 'x'.repeat(70_000) } }],
])('a large event is repaired', async (given, expected) => {
  const response = await connectionTo(streaming(dataOf(given))).post(CALL);
  expect(await response.text()).toBe(dataOf({ id: 7, ...expected }));
});

it('a stream of a refusal, and of the server itself, ends as it does', async () => {
  const refused = await connectionTo(streaming(': no\n\n', undefined, 500)).post(CALL);
  expect(await refused.text()).toBe(': no\n\n');
  const error = new TypeError('reset');
  const answered = await connectionTo(streaming(dataOf({ id: 7, result: {} }), error)).post(CALL);
  await expect(answered.text()).rejects.toThrow('reset');
});

it('the stream of the server itself is repaired, and another answer to it is not read', async () => {
  const given = { method: 'notifications/x', params: { _meta: null } };
  const { resume } = connectionTo(
    streaming(dataOf(given)),
    ...[429, 405].map((status) => new Response('no', { status })),
  );
  expect(await (await resume('1')).text()).toBe(dataOf({ ...given, params: {} }));
  for (const status of [429, 405]) expect((await resume('1')).status).toBe(status);
});

describe('a lost stream', () => {
  const FIRST = 'id: 1\ndata: {}\n\n';
  const [REST, WHOLE] = [dataOf({ result: {} }), dataOf({ id: 7, result: {} })];
  /** Loses a stream. */
  async function lost(error: Error | undefined, ...answers: (Response | Error)[]) {
    const connection = connectionTo(streaming(FIRST, error), ...answers);
    const read = (await connection.post(CALL)).text();
    if (error) await expect(read).rejects.toThrow();
    else expect(await read).toBe(FIRST);
    return connection;
  }
  const said = async (response: Promise<Response>) => (await response).text();

  it.each([undefined, new TypeError('reset')])('after %s is resumed, once', async (error) => {
    const { resume } = await lost(error, streaming(REST));
    expect(await said(resume('1'))).toBe(WHOLE);
    expect((await resume('1')).status).toBe(410);
  });

  it('has no rest in a stream without a body', async () => {
    const { resume } = await lost(undefined, new Response(null, STREAM));
    expect(await said(resume('1'))).toBe('');
  });

  it('ends its request when its rest has no answer either', async () => {
    const { resume } = await lost(undefined, streaming(': still\n\n'), streaming('id: 2\ndata: {}\n\n'));
    expect(await said(resume('1'))).toBe(': still\n\n');
    expect(await said(resume('1'))).toBe('id: 2\ndata: {}\n\n');
    expect(await said(resume('2'))).toBe(cutOff(7));
  });

  it.each([400, 404, 405, 499])(
    'ends its request at the answer %i, whose body is not read',
    async (status) => {
      const cancelled = vi.fn();
      const body = new ReadableStream({ cancel: cancelled }, { highWaterMark: 0 });
      const { resume } = await lost(undefined, new Response(body, { status, ...STREAM }));
      const response = await resume('1');
      expect(response.headers.get('content-type')).toBe('text/event-stream');
      expect(await response.text()).toBe(cutOff(7));
      expect(cancelled).toHaveBeenCalledOnce();
      expect((await resume('1')).status).toBe(410);
    },
  );

  it.each<[string, () => Response | Error]>([
    ['399', () => new Response('', { status: 399 })],
    ['500', () => new Response('', { status: 500 })],
    ['a stream of 500', () => streaming(REST, undefined, 500)],
    ['JSON', () => Response.json({})],
    ['nothing', () => new TypeError('reset')],
  ])('is requested twice from a server that answers %s', async (_what, answer) => {
    const [first, second] = [answer(), answer()];
    const { resume } = await lost(undefined, first, second);
    if (first instanceof Error) await expect(resume('1')).rejects.toBe(first);
    else expect(await resume('1')).toBe(first);
    expect(await said(resume('1'))).toBe(cutOff(7));
  });

  it('is remembered with a hundred others', async () => {
    const ids = Array.from({ length: 101 }, (_, n) => String(n));
    const { post, resume } = connectionTo(...ids.map((id) => streaming(`id: ${id}\ndata: {}\n\n`)));
    for (const _ of ids) await said(post(CALL));
    expect((await resume('0')).status).toBe(410);
    expect(await said(resume('1'))).toBe(cutOff(7));
  });
});

it.each<[string, object, Response]>([
  ['JSON', CALL, Response.json({})],
  ['a refusal', CALL, Response.json({}, { status: 400 })],
  [
    'a refusal in text/json',
    CALL,
    new Response('{}', { status: 400, headers: { 'content-type': 'text/json' } }),
  ],
])('%s is not copied', async (_what, sent, response) => {
  expect(await connectionTo(response).post(sent)).toBe(response);
});

const typed = (type: string, body = '<p>', status = 200) =>
  new Response(body, { status, headers: { 'content-type': type } });

it.each<[string, Response, string]>([
  ['a page', typed('text/html; charset=utf-8'), 'a page'],
  ['a picture', typed('image/png'), 'another type of content'],
  ['202', new Response(null, { status: 202 }), '202'],
  ['204', new Response(null, { status: 204 }), '204'],
  ['nothing', typed('application/json', ''), 'text that is no JSON'],
  ['words', typed('text/plain', 'Accepted'), 'text that is no JSON'],
  ['no message', Response.json({ ok: true }), 'other JSON'],
  ['null', Response.json(null), 'other JSON'],
  ['the response to another request', Response.json({ id: 8, result: {} }), 'other JSON'],
])('a request that is answered with %s ends', async (_what, response, what) => {
  const read = connectionTo(response)
    .post(CALL)
    .then((answer) => answer.json());
  await expect(read).rejects.toMatchObject({
    code: 'server-failed',
    message: `The app’s server answers with ${what} instead of a response of MCP.`,
  });
});

it.each(['text/plain; charset=utf-8', 'application/octet-stream', 'text/json', ''])(
  'JSON of the type "%s" is read',
  async (type) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: '7', result: {} });
    const response = await connectionTo(typed(type, body)).post(CALL);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(await response.json()).toEqual(JSON.parse(body));
  },
);

it.each([
  ['null', () => Response.json(null)],
  ['a page', () => typed('text/html')],
  ['204', () => new Response(null, { status: 204 })],
  ['405', () => typed('text/plain', 'no', 405)],
  ['500', () => new Response(null, { status: 500 })],
  ['429', () => new Response(null, { status: 429 })],
])('a notification that is answered with %s was accepted', async (_what, answer) => {
  const long = { id: 1, result: { content: { type: 'text', text: 'x'.repeat(100_000) } } };
  for (const message of [{ method: 'notifications/initialized' }, { id: 1, result: {} }, long]) {
    const response = await connectionTo(answer()).post(message);
    expect([response.status, response.body]).toEqual([202, null]);
  }
});

it('messages in a list, and events of another type, are read', async () => {
  const [ping, answer] = [
    { id: 1, method: 'ping' },
    { id: 7, result: {} },
  ];
  const events = `event: result\nid: 2\ndata: ${JSON.stringify([ping, answer])}\n\nevent: ping\ndata: {"ok":1}\n\n`;
  const response = await connectionTo(streaming(events)).post(CALL);
  expect(await response.text()).toBe(
    `id: 2\n${dataOf(ping)}id: 2\n${dataOf(answer)}event: ping\ndata: {"ok":1}\n\n`,
  );
  const named = await connectionTo(streaming(`event: result\n${dataOf(answer)}`)).post(CALL);
  expect(await named.text()).toBe(dataOf(answer));
});

it('each answer of a list in JSON is repaired', async () => {
  const list = [7, 8].map((id) => ({ id, result: { _meta: null } }));
  const response = await connectionTo(Response.json(list)).post([CALL, { ...CALL, id: 8 }]);
  expect(await response.json()).toEqual([7, 8].map((id) => ({ jsonrpc: '2.0', id, result: {} })));
});

it.each<[string | null, number | null]>([
  [null, null],
  ['', null],
  ['soon', null],
  ['-1', null],
  ['1.5', null],
  ['0', 0],
  ['86400', 86_400],
  ['86401', null],
  [new Date(Date.now() - 5_000).toUTCString(), null],
])('a server that says Retry-After %j', async (text, retryAfter) => {
  const refusal = new Response('', {
    status: 429,
    ...(text !== null && { headers: { 'retry-after': text } }),
  });
  await expect(connectionTo(refusal).post(CALL)).rejects.toMatchObject({ retryAfter });
});

it('a server that says when it is back is asked then', async () => {
  const when = new Date(Date.now() + 600_000).toUTCString();
  const refusal = new Response('', { status: 503, headers: { 'retry-after': when } });
  const error: unknown = await connectionTo(refusal)
    .post(CALL)
    .catch((thrown: unknown) => thrown);
  expect(Reflect.get(error as object, 'retryAfter')).toBeCloseTo(600, -2);
});

it.each([
  [429, false, true],
  [503, true, true],
  [503, false, false],
  [500, true, false],
])('the status %i allows no request now, with Retry-After: %s, is %s', async (status, isSaid, isLimit) => {
  const refusal = new Response('', { status, ...(isSaid && { headers: { 'retry-after': '5' } }) });
  const answered = connectionTo(refusal).post(CALL);
  if (isLimit) await expect(answered).rejects.toBeInstanceOf(RetryLaterError);
  else expect(await answered).toBe(refusal);
});
