import { DEFAULT_PANEL_ENTRY } from '@svc/contracts/vocabulary';
import type { Walk } from '../engine.ts';
import { below, type Place } from '../place.ts';
import type { Fields } from '../targets.ts';
import { fieldsOf, isFields, isList, own } from '../values.ts';
import { visitField } from './field.ts';
import { visitReference } from './files.ts';

/** Walks through `contributes.panels` and their pages. */
export function walkPanels(walk: Walk, contributes: Fields, parent: Place): void {
  const { value, place } = visitField(walk, contributes, 'panels', parent, 'panels');
  if (!isList(value)) return;
  for (const [index, panel] of value.entries()) {
    const here = below(place, index);
    walk.visit('panel', panel, here);
    if (isFields(panel)) walkPanel(walk, panel, here);
  }
}

function walkPanel(walk: Walk, panel: Fields, here: Place): void {
  visitField(walk, panel, 'id', here, 'panel.id');
  visitField(walk, panel, 'title', here, 'panel.title');
  visitField(walk, panel, 'component', here, 'panel.component');
  const config = visitField(walk, panel, 'config', here, 'panel.config');
  if (config.value !== undefined && !isFields(config.value)) return;
  const entry = own(fieldsOf(config.value), 'entry');
  const page = entry === undefined ? DEFAULT_PANEL_ENTRY : entry;
  visitReference(walk, page, below(config.place, 'entry'));
}
