import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { AggregationType, MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { REQUEST_SECONDS, type SentTelemetry } from '../../platform/metrics.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** How often metrics are sent, in milliseconds (OpenTelemetry, "Periodic exporting MetricReader"). */
const USUAL_INTERVAL_MS = 60_000;

/** `OTEL_TRACES_SAMPLER`: every request starts a new trace, so the root variant of each sampler applies. */
function samplerOf({
  OTEL_TRACES_SAMPLER: name = 'always_on',
  OTEL_TRACES_SAMPLER_ARG: share = '1',
}: Environment) {
  const samplers: Record<string, () => Sampler> = {
    always_on: () => new AlwaysOnSampler(),
    always_off: () => new AlwaysOffSampler(),
    traceidratio: () => new TraceIdRatioBasedSampler(Number(share)),
  };
  const make = samplers[name.replace(/^parentbased_/, '')];
  if (make) return make();
  throw new Error(`OTEL_TRACES_SAMPLER must be one of ${Object.keys(samplers).join(', ')}.`);
}

/**
 * Sends spans and metrics of requests over OTLP. A span contains the method, the route pattern, the status and the request id of the
 * log: no address, header or name, which could contain a secret or personal data. The `traceparent` of a client is ignored: otherwise
 * any client could decide which requests are sampled.
 */
export function sendTelemetry(env: Environment, version: string): SentTelemetry {
  const resource = resourceFromAttributes({ 'service.name': 'svc-store', 'service.version': version }).merge(
    detectResources({ detectors: [envDetector] }),
  );
  const traces = new TracerProvider({
    resource,
    sampler: samplerOf(env),
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter() })],
  });
  const reader = new PeriodicExportingMetricReader({
    exporter: new OTLPMetricExporter(),
    exportIntervalMillis: Number(env.OTEL_METRIC_EXPORT_INTERVAL) || USUAL_INTERVAL_MS,
  });
  const options = { boundaries: [...REQUEST_SECONDS] };
  const aggregation = { type: AggregationType.EXPLICIT_BUCKET_HISTOGRAM, options } as const;
  const metrics = new MeterProvider({
    resource,
    readers: [reader],
    views: [{ instrumentName: 'http.server.request.duration', aggregation }],
  });
  const tracer = traces.getTracer('svc-store', version);
  const durations = metrics.getMeter('svc-store', version).createHistogram('http.server.request.duration', {
    unit: 's',
    description: 'Time from a request to its answer.',
  });
  return {
    request({ method, route, status, requestId }, seconds) {
      const attributes = {
        'http.request.method': method,
        'http.route': route,
        'http.response.status_code': status,
      };
      durations.record(seconds, attributes);
      const end = Date.now();
      const span = tracer.startSpan(`${method} ${route}`, {
        kind: SpanKind.SERVER,
        startTime: end - seconds * 1000,
        attributes: { ...attributes, ...(requestId && { 'svc.request_id': requestId }) },
      });
      if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end(end);
    },
    async close() {
      // An unreachable collector must not prevent the store from stopping.
      await Promise.allSettled([traces.shutdown(), metrics.shutdown()]);
    },
  };
}
