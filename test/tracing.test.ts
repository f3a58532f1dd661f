import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openClient } from '../packages/runtime/test/support/runtime-world.ts';
import { APP } from '../packages/runtime/test/support/signing-store.ts';
import { openInternet } from './support/app-at-names.ts';

const spans = new InMemorySpanExporter();

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  trace.setGlobalTracerProvider(
    new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter: spans })] }),
  );
});
afterAll(() => {
  trace.disable();
  context.disable();
});

it('install, sign-in, call and refresh are spans, whose requests have their traceparent, and nothing else of the user', async () => {
  const { site, mcp, oidc, stored, outside } = await openInternet();
  const { runtime } = await openClient({
    store: 'https://store.example.com',
    fetchStore: outside,
    connecting: site.connecting,
  });
  const sheet = await runtime.installer.prepareInstall(APP);
  await runtime.installer.install(sheet, { accepted: true, binding: sheet.binding });
  const call = (text: string) =>
    trace
      .getTracer('client')
      .startActiveSpan('a turn', (turn) =>
        runtime
          .call(APP, { tool: 'add_note', arguments: { text }, project: 'p', chat: 'c' })
          .finally(() => turn.end()),
      );
  await call('my secret');
  const token = mcp.headersOf('tools/call')[0]?.authorization?.slice('Bearer '.length) ?? '';
  // The server forgets the token, so that the next call renews it.
  await (await oidc.find(token))?.destroy();
  await call('again');
  await expect(runtime.call(APP, { tool: 'none', arguments: {}, project: 'p', chat: 'c' })).rejects.toThrow();

  const done = spans.getFinishedSpans();
  const named = (name: string) => done.filter((span) => span.name === name);
  expect(new Set(done.map(({ name }) => name))).toEqual(
    new Set([
      ...['svc prepare_install', 'svc install', 'svc sign_in', 'svc refresh'],
      ...['tools/call add_note', 'tools/call none', 'a turn'],
    ]),
  );
  const [first] = named('tools/call add_note');
  expect(first?.attributes).toMatchObject({ 'gen_ai.tool.name': 'add_note', 'svc.app.id': APP });
  // The sign-in is part of its call, which is part of the turn of the client.
  expect(named('svc sign_in')[0]?.parentSpanContext?.spanId).toBe(first?.spanContext().spanId);
  expect(first?.parentSpanContext?.spanId).toBe(named('a turn')[0]?.spanContext().spanId);
  expect(named('tools/call none')[0]).toMatchObject({
    attributes: { 'error.type': 'unknown-tool' },
    status: { code: 2 },
  });
  const parentOf = (span?: (typeof done)[number]) =>
    `00-${span?.spanContext().traceId}-${span?.spanContext().spanId}-01`;
  const [sent] = mcp.asked.filter(({ message }) => message.method === 'tools/call');
  expect(sent?.request.headers.traceparent).toBe(parentOf(first));
  expect(sent?.message.params._meta).toMatchObject({ traceparent: parentOf(first) });
  const atStore = stored.flatMap(({ headers }) => headers.traceparent ?? []);
  expect(atStore).toContain(parentOf(named('svc prepare_install')[0]));
  const said = JSON.stringify(
    done.map(({ name, attributes, events, status }) => [name, attributes, events, status]),
  );
  expect(said).not.toContain('my secret');
  expect(said).not.toContain(token);
});

it('nothing is sent of a trace where there is none', async () => {
  const { site, mcp, outside } = await openInternet();
  trace.disable();
  const { runtime } = await openClient({
    ...{ store: 'https://store.example.com', fetchStore: outside },
    connecting: site.connecting,
  });
  const sheet = await runtime.installer.prepareInstall(APP);
  await runtime.installer.install(sheet, { accepted: true, binding: sheet.binding });
  await runtime.call(APP, { tool: 'add_note', arguments: {}, project: 'p', chat: 'c' });
  for (const { request, message } of mcp.asked) {
    expect(request.headers.traceparent).toBeUndefined();
    expect(JSON.stringify(message)).not.toContain('traceparent');
  }
});
