import { LIMITS } from '@svc/contracts/vocabulary';
import type { Walk } from '../engine.ts';
import { below, type Place, ROOT } from '../place.ts';
import type { Fields } from '../targets.ts';
import { isFields, isList, own } from '../values.ts';
import { visitField } from './field.ts';

const WALK_ENTRY = { apps: walkApp, connectors: walkConnector, optional: walkOptional } as const;

/** Walks through `requires`. Entries beyond the limit are not checked: the rule about their number reports them. */
export function walkRequires(walk: Walk, manifest: Fields): void {
  const { value, place } = visitField(walk, manifest, 'requires', ROOT, 'requires');
  if (!isFields(value)) return;
  for (const name of ['apps', 'connectors', 'optional'] as const) {
    const list = own(value, name);
    if (!isList(list)) continue;
    const here = below(place, name);
    walk.visit('requires.list', list, here);
    for (const [index, entry] of list.slice(0, LIMITS.requires.entries).entries()) {
      const at = below(here, index);
      walk.visit('requires.entry', entry, at);
      if (!isFields(entry)) continue;
      WALK_ENTRY[name](walk, entry, at);
      visitField(walk, entry, 'reason', at, 'requires.reason');
    }
  }
}

/** An app has an id, or in a local folder the repository from which it is installed. */
function walkApp(walk: Walk, entry: Fields, at: Place): void {
  walk.visit('requires.app', entry, at);
  const github = own(entry, 'github');
  if (github !== undefined) visitField(walk, entry, 'github', at, 'requires.github');
  const namedOtherwise = github !== undefined || own(entry, 'url') !== undefined;
  if (own(entry, 'id') !== undefined || !namedOtherwise) visitField(walk, entry, 'id', at, 'requires.id');
}

function walkConnector(walk: Walk, entry: Fields, at: Place): void {
  visitField(walk, entry, 'url', at, 'requires.url');
  visitField(walk, entry, 'required', at, 'requires.required');
}

function walkOptional(walk: Walk, entry: Fields, at: Place): void {
  walk.visit('requires.optional', entry, at);
  const named = ['id', 'url'].filter((field) => own(entry, field) !== undefined);
  if (named.length !== 1) return;
  if (named[0] === 'id') visitField(walk, entry, 'id', at, 'requires.id');
  else visitField(walk, entry, 'url', at, 'requires.url');
}
