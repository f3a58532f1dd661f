import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEEP } from '@svc/testkit';
import { serveHere } from '@svc/testkit/http-server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isTelemetryWanted, openTelemetry } from '../../../src/adapters/telemetry/open-telemetry.ts';
import { portOf, start } from '../../support/program.ts';

const SECRET = 'svcp_0123456789abcdefghijklmnopqrstuvwxyz';

/** A collector that stores the received data by path. */
async function startCollector() {
  const got = new Map<string, string>();
  const origin = await serveHere(() => async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    got.set(request.url ?? '', (got.get(request.url ?? '') ?? '') + body);
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  return { origin, got };
}

function startStore(more: Record<string, string>) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-telemetry-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return start({ PORT: '0', SVC_DATA_DIR: folder, ...more });
}

describe('OpenTelemetry', () => {
  it('is off unless a variable names a collector', async () => {
    expect(isTelemetryWanted({})).toBe(false);
    const OTEL_EXPORTER_OTLP_ENDPOINT = 'http://127.0.0.1:4318';
    expect(isTelemetryWanted({ OTEL_EXPORTER_OTLP_ENDPOINT })).toBe(true);
    expect(isTelemetryWanted({ OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_SDK_DISABLED: 'true' })).toBe(false);
    expect(await openTelemetry({}, '1.0.0')).toBeNull();
  });

  it.each([
    [{ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, /OTEL_EXPORTER_OTLP_PROTOCOL must be http/],
    [{ OTEL_TRACES_SAMPLER: 'sometimes' }, /OTEL_TRACES_SAMPLER must be one of/],
  ])('rejects %j with a message', async (more, says) => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318', ...more };
    await expect(openTelemetry(env, '1.0.0')).rejects.toThrow(says);
  });

  it('sends spans and metrics of requests, without secrets or client addresses', async () => {
    const { origin, got } = await startCollector();
    const store = startStore({
      OTEL_EXPORTER_OTLP_ENDPOINT: origin,
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    });
    const at = `http://127.0.0.1:${await portOf(store)}`;
    const headers = {
      authorization: `Bearer ${SECRET}`,
      traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
    };
    const answer = await fetch(`${at}/api/apps/com.hidden.app?token=${SECRET}`, { headers });
    const requestId = answer.headers.get('x-request-id') ?? '';
    await answer.arrayBuffer();
    store.child.kill('SIGTERM');
    expect(await store.exit).toBe(0);
    const [traces, metrics] = [got.get('/v1/traces') ?? '', got.get('/v1/metrics') ?? ''];
    expect(traces).toContain('"GET /api/apps/:appId"');
    expect(traces).toContain(requestId);
    for (const sent of [traces, metrics]) {
      for (const word of ['svc-store', 'deployment.environment.name', '/api/apps/:appId'])
        expect(sent).toContain(word);
      for (const hidden of [SECRET, 'com.hidden.app', '127.0.0.1', 'a'.repeat(32)])
        expect(sent).not.toContain(hidden);
    }
    expect(metrics).toContain('http.server.request.duration');
  });

  it(
    'does not prevent the store from serving and stopping when the collector is unreachable',
    DEEP,
    async () => {
      const store = startStore({
        OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:2',
        OTEL_EXPORTER_OTLP_TIMEOUT: '500',
      });
      const at = `http://127.0.0.1:${await portOf(store)}`;
      expect((await fetch(`${at}/healthz`)).status).toBe(200);
      store.child.kill('SIGTERM');
      expect(await store.exit).toBe(0);
    },
  );
});
