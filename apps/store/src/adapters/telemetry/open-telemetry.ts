import type { SentTelemetry } from '../../platform/metrics.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The OpenTelemetry variables that set a collector; without one, telemetry is not loaded. */
const ENDPOINTS = [
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
  'OTEL_EXPORTER_OTLP_METRICS_ENDPOINT',
] as const;

const PACKAGES = [
  '@opentelemetry/api',
  '@opentelemetry/sdk-trace',
  '@opentelemetry/sdk-metrics',
  '@opentelemetry/resources',
  '@opentelemetry/exporter-trace-otlp-http',
  '@opentelemetry/exporter-metrics-otlp-http',
];

/** Whether the environment enables telemetry. */
export const isTelemetryWanted = (env: Environment): boolean =>
  env.OTEL_SDK_DISABLED?.toLowerCase() !== 'true' && ENDPOINTS.some((name) => env[name]);

/** Refuses settings that the exporters do not support, instead of ignoring them. */
function requireProtocol(env: Environment): void {
  const { OTEL_EXPORTER_OTLP_PROTOCOL: protocol = 'http/json' } = env;
  if (protocol.startsWith('http/')) return;
  throw new Error('OTEL_EXPORTER_OTLP_PROTOCOL must be http/json: the store sends OTLP over HTTP.');
}

/**
 * Opens the exporter of traces and metrics to a collector, configured by the OpenTelemetry variables.
 * @returns null when telemetry is not enabled
 * @throws Error for the operator when the OpenTelemetry packages are not installed
 */
export async function openTelemetry(env: Environment, version: string): Promise<SentTelemetry | null> {
  if (!isTelemetryWanted(env)) return null;
  requireProtocol(env);
  const { sendTelemetry } = await import('./send-telemetry.ts').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new Error(
      `An OTEL_EXPORTER_OTLP_… variable is set, and OpenTelemetry is not installed: npm install ${PACKAGES.join(' ')}, or remove the variable.`,
    );
  });
  return sendTelemetry(env, version);
}
