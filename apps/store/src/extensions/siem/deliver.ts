import type { AuditSink } from '../../core/audit/audit-sink.ts';
import type { Parts, Stores } from '../../core/domain/parts/parts.ts';
import type { Outages } from '../../platform/outages.ts';
import { endOf } from '../../platform/terms.ts';
import { UnavailableError } from '../../platform/unavailable-error.ts';
import type { DeliveryStore } from './delivery-store.ts';

/** The name of the collector in *Health*, the metrics and the log. */
const COLLECTOR = 'collector of the audit log';

/** Entries of one request or connection. */
const BATCH = 500;

/** The pause after a failure, in milliseconds: it doubles up to the bound. A collector may ask for a longer one, up to the last. */
const [PAUSE_MS, MAX_PAUSE_MS, MAX_ASKED_MS] = [5_000, 5 * 60_000, 60 * 60_000];

export type DeliverDeps = Pick<Parts, 'clock'> &
  Pick<Stores, 'audit'> & {
    delivery: DeliveryStore;
    auditSink: AuditSink | null;
    outages: Pick<Outages, 'add' | 'watch'>;
  };

/**
 * Creates the work of delivering the audit log to the collector of the operator: each entry at least once, in order. The place is advanced
 * after the collector has the entries, so that a process that ends in between sends them again.
 */
export function createAuditDelivery({ clock, audit, delivery, auditSink, outages }: DeliverDeps) {
  let [failures, notBefore] = [0, 0];
  if (auditSink) outages.add(COLLECTOR);

  /** Delivers one batch. @returns whether more may wait */
  async function deliverBatch(sink: AuditSink, turn: string): Promise<boolean> {
    const { afterId: after } = await delivery.read();
    const found = await audit.find({ direction: 'asc', after, limit: BATCH });
    const entries = found.slice(0, BATCH);
    const last = entries.at(-1);
    if (!last) return false;
    await outages.watch(COLLECTOR, () => sink.send(entries));
    failures = 0;
    return (await delivery.advance(turn, last.id, clock().toISOString())) && found.length > BATCH;
  }

  function pause({ retryAfter }: UnavailableError): void {
    const own = Math.min(MAX_PAUSE_MS, PAUSE_MS * 2 ** failures);
    failures += 1;
    notBefore = clock().getTime() + Math.max(own, Math.min(retryAfter * 1_000, MAX_ASKED_MS));
  }

  /** Delivers batches while more wait, in a turn of this process. */
  async function deliverAll(sink: AuditSink, turn: string, signal?: AbortSignal): Promise<void> {
    try {
      while (!signal?.aborted && (await deliverBatch(sink, turn)));
    } catch (error) {
      if (!(error instanceof UnavailableError)) throw error;
      // Recorded and logged as an outage.
      pause(error);
    } finally {
      await delivery.release(turn);
    }
  }

  return async (signal?: AbortSignal): Promise<void> => {
    const now = clock();
    const wait = notBefore - now.getTime();
    if (!auditSink || (wait > 0 && wait <= MAX_ASKED_MS)) return;
    if ((await delivery.read()).afterId >= (await audit.lastId())) return;
    const turn = endOf('audit_delivery.turn_until', now);
    if (await delivery.claim(now.toISOString(), turn)) await deliverAll(auditSink, turn, signal);
  };
}
