import type { UpstreamEvents } from '@svc/runtime/store-client';
import type { Clock } from '../../platform/system.ts';
import type { Reading } from './carry-app.ts';

/** What an upstream says has changed. Nothing of it is signed: it says only what is looked at now, and not at its turn. */
export type Changed = { isYank: boolean; appIds: readonly string[] };

/** Pages of events that are read at once, and at first, when their end is looked for. */
const [PAGES, FIRST_PAGES] = [4, 40];

/** How long an upstream without events is not asked for them, in milliseconds. */
const WITHOUT_MS = 3_600_000;

const YANKS: ReadonlySet<string> = new Set(['version.yanked', 'version.unyanked']);

/** The highest id of an event that this process has read, or until when the upstream is not asked. */
type Place = { next: string | null; silentUntil: number; readAt: number };

const NOTHING: Changed = { isYank: false, appIds: [] };

function changedIn(events: UpstreamEvents['events']): Changed {
  const appIds = new Set(events.flatMap(({ data: { appId } }) => appId ?? []));
  return { isYank: events.some(({ type }) => YANKS.has(type)), appIds: [...appIds] };
}

/** For how long the events of an upstream count as read, in milliseconds. */
const READ_MS = 60_000;

/** Creates what reads the events of upstreams that serve them. */
export function createEventReader(clock: Clock) {
  const places = new Map<string, Place>();

  async function pagesAfter(
    { reader, signal }: Reading,
    place: Place,
    pages: number,
  ): Promise<UpstreamEvents['events'] | null> {
    const all: UpstreamEvents['events'] = [];
    for (let page = 0; page < pages; page += 1) {
      const answer = await reader.eventsSince(place.next, signal);
      if (!answer) return null;
      all.push(...answer.events);
      if (answer.events.length === 0 || answer.next === place.next) page = pages;
      place.next = answer.next;
    }
    return all;
  }

  /** Whether the events of an upstream are read now: they say what is looked at. */
  const areRead = (id: string): boolean =>
    clock().getTime() - (places.get(id)?.readAt ?? Number.NEGATIVE_INFINITY) < READ_MS;

  /**
   * Reads the events of an upstream since the last time. At first it finds their end: what happened before is in the lists.
   * @throws errors of the reader
   */
  async function read(reading: Reading): Promise<Changed> {
    const { id } = reading.upstream;
    const now = clock().getTime();
    const place = places.get(id) ?? { next: null, silentUntil: 0, readAt: Number.NEGATIVE_INFINITY };
    if (now < place.silentUntil) return NOTHING;
    const isFirst = place.next === null;
    const events = await pagesAfter(reading, place, isFirst ? FIRST_PAGES : PAGES);
    const none = { next: null, silentUntil: now + WITHOUT_MS, readAt: Number.NEGATIVE_INFINITY };
    places.set(id, events ? { ...place, readAt: now } : none);
    return events && !isFirst ? changedIn(events) : NOTHING;
  }

  return { read, areRead };
}
