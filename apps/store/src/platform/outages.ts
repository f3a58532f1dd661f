import type { StoreHealth } from '@svc/contracts';
import { causesOf } from '@svc/contracts/causes';
import type { Clock, Log } from './system.ts';
import { UnavailableError } from './unavailable-error.ts';

/** A line about an outage is logged at once, and then once in so many milliseconds. */
const LINE_MS = 60_000;

/** How many causes of outages are counted each by itself; the oldest is dropped. */
const MAX_CAUSES = 100;

/** Peers of one service whose last results are kept. */
const MAX_PEERS = 50;

/** One line for an error and its causes, without their stacks. A sentence before a cause ends with the colon alone. */
const lineOf = (error: unknown): string =>
  [...new Set(causesOf(error).map(({ code, message }) => message || String(code)))]
    .join(': ')
    .replaceAll('.: ', ': ');

/** Why a service is away; null for any other error. */
const outageOf = (error: unknown): string | null =>
  error instanceof UnavailableError ? lineOf(error) : null;

/** The digits and hashes of a message differ between requests; its cause does not. */
const keyOf = (error: UnavailableError): string => error.message.replace(/[0-9a-f]{8,}|\d+/g, '#');

type Suppressed = { loggedAt: number; lines: Map<string, number> };

/**
 * Wraps a log, so that an outage does not fill it: of the lines about one `UnavailableError`, whichever part writes them, the first is logged
 * at once and the others once a minute, as one line that counts them. No such line has a stack.
 * @param milliseconds a clock that never fails, from any beginning
 */
export function withoutFloods(log: Log, milliseconds: () => number): Log {
  const causes = new Map<string, Suppressed>();
  const write = (level: 'warn' | 'error') => (fields: object, message: string) => {
    const { err } = fields as { err?: unknown };
    if (!(err instanceof UnavailableError)) return log[level](fields, message);
    const key = keyOf(err);
    const now = milliseconds();
    const known = causes.get(key);
    if (known && Math.abs(now - known.loggedAt) < LINE_MS) {
      known.lines.set(message, (known.lines.get(message) ?? 0) + 1);
      return;
    }
    causes.delete(key);
    causes.set(key, { loggedAt: now, lines: new Map() });
    const [oldest] = causes.keys();
    if (causes.size > MAX_CAUSES && oldest !== undefined) causes.delete(oldest);
    const since = known && known.lines.size > 0 && { since: Object.fromEntries(known.lines) };
    log[level]({ ...fields, err: { type: err.name, message: lineOf(err) }, ...since }, message);
  };
  return { info: (fields, message) => log.info(fields, message), warn: write('warn'), error: write('error') };
}

type Service = StoreHealth['services'][number];

/** The last try at a peer: a provider is one, and so is each receiver of webhooks. */
type Tried = { at: number; works: boolean };

/** Tries of longer ago, in milliseconds, say nothing about a service. */
const TRIED_MS = 24 * 60 * LINE_MS;

type Watched = {
  /** How many tries in a row must fail. */
  tries: number;
  peers: Map<string, Tried>;
  /** When the first of the tries failed that have failed since; null after one that did not. */
  failingSince: string | null;
  failures: number;
  isDown: boolean;
  loggedAt: number;
};

/**
 * Creates the record of which services beside the store work: sign-in providers, the mail server, websites, servers of apps, receivers of
 * webhooks. A service is down when its last tries failed, and the last one at every peer. It is only reported: each part handles its own faults.
 */
export function createOutages({ log, clock }: { log: Log; clock: Clock }) {
  const services = new Map<string, Watched>();

  /** Logs a service that is down: at once, and then once a minute. */
  function report(name: string, service: Watched, why: string): void {
    const now = clock().getTime();
    const isLogged = service.isDown && Math.abs(now - service.loggedAt) < LINE_MS;
    service.isDown = true;
    if (isLogged) return;
    service.loggedAt = now;
    const { failingSince: since, failures } = service;
    log.error({ service: name, why, since, failures }, `The ${name} cannot be reached.`);
  }

  function succeeded(name: string, service: Watched): void {
    const { isDown, failingSince: since } = service;
    if (isDown) log.warn({ service: name, since }, `The ${name} can be reached again.`);
    Object.assign(service, { failingSince: null, failures: 0, isDown: false });
  }

  /** Whether the last try at every peer of the last day failed. Remembers this one. */
  function isAlone({ peers }: Watched, peer: string, works: boolean): boolean {
    const at = clock().getTime();
    peers.delete(peer);
    peers.set(peer, { at, works });
    const [oldest] = peers.keys();
    if (peers.size > MAX_PEERS && oldest !== undefined) peers.delete(oldest);
    return [...peers.values()].every((tried) => !tried.works || Math.abs(at - tried.at) > TRIED_MS);
  }

  const outages = {
    /**
     * Registers a service, which works until its tries fail.
     * @param tries how many in a row must fail
     */
    add(name: string, tries = 1): void {
      const nothing = { failingSince: null, failures: 0, isDown: false, loggedAt: Number.NEGATIVE_INFINITY };
      services.set(name, { tries, peers: new Map(), ...nothing });
    },
    /**
     * Records a try.
     * @param why why it failed, without a secret; null when there was an answer
     */
    tried(name: string, why: string | null, peer = ''): void {
      const service = services.get(name);
      if (!service) return;
      const areAllDown = isAlone(service, peer, why === null);
      if (why === null) {
        succeeded(name, service);
        return;
      }
      service.failingSince ??= clock().toISOString();
      service.failures += 1;
      if (areAllDown && service.failures >= service.tries) report(name, service, why);
    },
    /**
     * Runs a try, and records whether it failed because the service was away.
     * @param faultOf why, without a secret; null for an error that is an answer, as all are but `UnavailableError` by default
     */
    async watch<T>(name: string, work: () => Promise<T>, faultOf = outageOf): Promise<T> {
      try {
        const result = await work();
        outages.tried(name, null);
        return result;
      } catch (error) {
        outages.tried(name, faultOf(error));
        throw error;
      }
    },
    isDown: (name: string): boolean => services.get(name)?.isDown === true,
    list: (): Service[] =>
      [...services].map(([name, { isDown, failingSince, failures }]) => ({
        ...{ name, ok: !isDown },
        since: isDown ? failingSince : null,
        failures: isDown ? failures : 0,
      })),
  };
  return outages;
}

export type Outages = ReturnType<typeof createOutages>;
