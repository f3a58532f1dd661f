import perfHooks from 'node:perf_hooks';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createMetrics } from '../../src/platform/metrics.ts';

const linesOfStore = (text: string): string[] => text.split('\n').filter((line) => line.startsWith('svc_'));

it('counts requests by method, route and status, and durations by route, in the format of Prometheus', async () => {
  const metrics = createMetrics({ faults: { uncaught: () => 2, droppedLines: () => 3 } });
  const [route, other] = ['/api/apps/:appId', '/'];
  const asked = { method: 'GET', route, status: 200 };
  for (const seconds of [0.0005, 0.001, 0.003, 70]) metrics.request(asked, seconds);
  metrics.request({ ...asked, status: 404 }, 0.5);
  metrics.request({ ...asked, route: other }, 1);
  const { text, type } = await metrics.read();
  expect(type).toMatch(/^text\/plain/);
  expect(text.split('\n').filter((line) => line.includes(`route="${route}"`))).toEqual([
    `svc_http_requests_total{method="GET",route="${route}",status="200"} 4`,
    `svc_http_requests_total{method="GET",route="${route}",status="404"} 1`,
    `svc_http_request_seconds_bucket{le="0.001",route="${route}"} 2`,
    `svc_http_request_seconds_bucket{le="0.005",route="${route}"} 3`,
    `svc_http_request_seconds_bucket{le="0.02",route="${route}"} 3`,
    `svc_http_request_seconds_bucket{le="0.1",route="${route}"} 3`,
    `svc_http_request_seconds_bucket{le="0.5",route="${route}"} 4`,
    `svc_http_request_seconds_bucket{le="2",route="${route}"} 4`,
    `svc_http_request_seconds_bucket{le="10",route="${route}"} 4`,
    `svc_http_request_seconds_bucket{le="60",route="${route}"} 4`,
    `svc_http_request_seconds_bucket{le="+Inf",route="${route}"} 5`,
    `svc_http_request_seconds_sum{route="${route}"} ${0.0005 + 0.001 + 0.003 + 70 + 0.5}`,
    `svc_http_request_seconds_count{route="${route}"} 5`,
  ]);
  expect(text).toMatch(/^svc_uncaught_total 2$/m);
  expect(text).toMatch(/^svc_log_lines_dropped_total 3$/m);
  // Reading does not change the metrics.
  expect(linesOfStore((await metrics.read()).text)).toEqual(linesOfStore(text));
});

it('reads the metrics of the process in each registry, from one set of timers', async () => {
  const timers = vi.spyOn(perfHooks, 'monitorEventLoopDelay');
  onTestFinished(() => timers.mockRestore());
  const texts = await Promise.all([createMetrics(), createMetrics()].map(({ read }) => read()));
  for (const { text } of texts) expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds /m);
  expect(timers.mock.calls.length).toBeLessThan(2);
});
