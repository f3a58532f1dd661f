import type { RevocationEntry } from '@svc/contracts';
import type { ListReaderState } from '@svc/runtime/store-client';
import type { AcceptedList } from '@svc/signing';
import type { Clock } from '../../platform/system.ts';
import type { Reading } from './carry-app.ts';
import type { KeptUpstream } from './upstream-store.ts';

/** A revocation list of an upstream that may replace the last accepted one. */
export type FreshList = {
  accepted: AcceptedList;
  /** Null for those of the last accepted one. */
  entries: readonly RevocationEntry[] | null;
  /** The form in which it came and its ETag, as `listTag` keeps them. */
  tag: string | null;
};

/** Most bytes of segments that are kept in memory for an upstream; those of a longer list are fetched again. */
const MAX_KEPT = 16 * 1024 * 1024;

const TAG = /^(head|whole) (.+)$/s;

/** The ETags of the last accepted list, by its form. */
function tagsIn({ list, listTag }: Pick<KeptUpstream, 'list' | 'listTag'>): ListReaderState['tags'] {
  const [, form, tag] = (list && listTag !== null && TAG.exec(listTag)) || [];
  return { head: null, whole: null, ...(form !== undefined && { [form]: tag }) };
}

/**
 * Creates what reads the revocation lists of upstreams, as clients do: what is new of a list where an upstream serves it in parts, otherwise
 * the whole.
 */
export function createListSources(clock: Clock) {
  /** What this process remembers of each upstream. */
  const known = new Map<string, { state: ListReaderState; segments: ReadonlyMap<string, string> }>();

  /**
   * Reads the list of an upstream.
   * @returns null while it serves the last accepted one, which is applied
   * @throws UpstreamError, and errors of the reader
   */
  return async ({ upstream, reader, trust, signal }: Reading): Promise<FreshList | null> => {
    const { createListReader, freshState } = await import('@svc/runtime/store-client');
    const own = known.get(upstream.id) ?? { state: freshState(), segments: new Map<string, string>() };
    own.state.tags = tagsIn(upstream);
    const fetchList = createListReader(
      {
        reader,
        system: { now: () => clock().getTime() },
        // A list without its tag is to be applied again.
        lastHash: () => (upstream.listTag === null ? null : (upstream.list?.entriesHash ?? null)),
        held: (sha256) => own.segments.get(sha256) ?? null,
        requireNext: trust.requireNext,
        signer: trust.listSigner,
      },
      own.state,
    );
    const fresh = await fetchList(signal);
    if (!fresh) return null;
    const { entries, segments, ...accepted } = fresh.list;
    known.set(upstream.id, segments ? { ...own, segments: keptOf(segments, own.segments) } : own);
    // The whole list was not compared with the last accepted one yet.
    trust.requireNext(accepted);
    return { accepted, entries, tag: fresh.tag === null ? null : `${fresh.form} ${fresh.tag}` };
  };
}

/** The texts of the segments of a list, unless they are too long. */
function keptOf(
  { names, fetched }: { names: ReadonlySet<string>; fetched: ReadonlyMap<string, string> },
  before: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const kept = new Map<string, string>();
  let bytes = 0;
  for (const name of names) {
    const text = fetched.get(name) ?? before.get(name);
    if (text !== undefined) kept.set(name, text);
    bytes += text?.length ?? 0;
  }
  return bytes > MAX_KEPT ? new Map() : kept;
}
