import type { Attributes, Span, Tracer } from '@opentelemetry/api';
import { asRefusal } from './runtime-error.ts';

/** What a span says of its operation. Never an argument, an address with a query, or a token. */
export type SpanFacts = Readonly<Record<string, string>>;

/** Spans of the runtime's operations, for the OpenTelemetry of the embedding program. */
export type Tracing = {
  /** Runs work in a span of its own, which ends with it. */
  span<T>(name: string, facts: SpanFacts, work: () => Promise<T>): Promise<T>;
  /** The header of the active span (W3C Trace Context, "traceparent"); nothing where there is none. */
  headers(): { traceparent?: string };
};

/** For a program without OpenTelemetry. */
export const NO_TRACING: Tracing = { span: (_name, _facts, work) => work(), headers: () => ({}) };

const attributesOf = (facts: SpanFacts): Attributes => ({ ...facts });

/** The kind of a failure, without its message: the code of an expected error, or the class of another. */
const kindOf = (error: unknown): string =>
  asRefusal(error)?.code ?? (error instanceof Error ? error.name : 'unknown');

type Api = typeof import('@opentelemetry/api');

/** Spans over the API of OpenTelemetry, which does nothing until the program registers an SDK. */
function tracingOver({ trace, isSpanContextValid, SpanKind, SpanStatusCode }: Api, version: string): Tracing {
  const tracer: Tracer = trace.getTracer('@svc/runtime', version);
  const run = async <T>(span: Span, work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      span.setAttribute('error.type', kindOf(error));
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  };
  return {
    span: (name, facts, work) =>
      tracer.startActiveSpan(name, { kind: SpanKind.CLIENT, attributes: attributesOf(facts) }, (span) =>
        run(span, work),
      ),
    headers() {
      const active = trace.getActiveSpan()?.spanContext();
      if (!active || !isSpanContextValid(active)) return {};
      const flags = active.traceFlags.toString(16).padStart(2, '0');
      return { traceparent: `00-${active.traceId}-${active.spanId}-${flags}` };
    },
  };
}

/** The tracing of this program: that of `@opentelemetry/api`, where it is installed. */
export async function openTracing(version: string): Promise<Tracing> {
  const api = await import('@opentelemetry/api').catch(() => null);
  return api ? tracingOver(api, version) : NO_TRACING;
}
