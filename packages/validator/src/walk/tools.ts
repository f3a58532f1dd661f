import type { Walk } from '../engine.ts';
import { below, type Place } from '../place.ts';
import type { Fields } from '../targets.ts';
import { isFields, isList, own } from '../values.ts';
import { visitField, visitObjects } from './field.ts';
import { FIELDS_OF } from './manifest-strings.ts';

/** Walks through `contributes.tools`: each tool, its file arguments and media requests. */
export function walkTools(walk: Walk, contributes: Fields, parent: Place): void {
  const { value, place } = visitField(walk, contributes, 'tools', parent, 'tools');
  if (!isList(value)) return;
  walk.visit('tools.list', value, place);
  visitObjects(walk, value, place, 'tool', walkTool);
}

function walkTool(walk: Walk, tool: Fields, here: Place): void {
  for (const name of FIELDS_OF['/contributes/tools/*']) {
    const { value, place } = visitField(walk, tool, name, here, `tool.${name}`);
    if (name === 'files' && isFields(value)) walkFiles(walk, value, place);
  }
}

function walkFiles(walk: Walk, files: Fields, place: Place): void {
  walk.visit('tool.files.map', files, place);
  for (const param of Object.keys(files)) walkFileRule(walk, param, own(files, param), below(place, param));
}

function walkFileRule(walk: Walk, param: string, rule: unknown, here: Place): void {
  walk.visit('tool.file.param', param, here);
  walk.visit('tool.file', rule, here);
  if (!isFields(rule)) return;
  visitField(walk, rule, 'accept', here, 'tool.file.accept');
  visitField(walk, rule, 'maxBytes', here, 'tool.file.maxBytes');
  const prepare = own(rule, 'prepare');
  if (prepare === undefined) return;
  walk.visit('tool.file.prepare', prepare, below(here, 'prepare'));
  walkMedia(walk, prepare, below(here, 'prepare'));
}

/** The parameters of a media request, and their targets. */
const MEDIA_PARAMETERS = [
  ['width', 'media.dimension'],
  ['height', 'media.dimension'],
  ['x', 'media.offset'],
  ['y', 'media.offset'],
  ['aspect', 'media.aspect'],
  ['fit', 'media.fit'],
  ['gravity', 'media.gravity'],
  ['format', 'media.format'],
  ['quality', 'media.quality'],
  ['targetKb', 'media.targetKb'],
  ['start', 'media.time'],
  ['end', 'media.time'],
] as const;

function walkMedia(walk: Walk, request: unknown, here: Place): void {
  walk.visit('media', request, here);
  if (!isFields(request)) return;
  visitField(walk, request, 'op', here, 'media.op');
  walk.visit('media.request', request, here);
  for (const [name, target] of MEDIA_PARAMETERS) {
    const value = own(request, name);
    if (value !== undefined) walk.visit(target, value, below(here, name));
  }
}
