import type { Walk } from '../engine.ts';
import { below, type Place } from '../place.ts';
import type { Fields } from '../targets.ts';
import { isFields, isList, own } from '../values.ts';
import { announceField } from './field.ts';

/** Goes through `contributes.tools`: each tool, each of its file arguments, each media request. */
export function walkTools(walk: Walk, contributes: Fields, parent: Place): void {
  const { value, place } = announceField(walk, contributes, 'tools', parent, 'tools');
  if (!isList(value)) return;
  walk.visit('tools.list', value, place);
  for (const [index, tool] of value.entries()) {
    const here = below(place, index);
    walk.visit('tool', tool, here);
    if (isFields(tool)) walkTool(walk, tool, here);
  }
}

function walkTool(walk: Walk, tool: Fields, here: Place): void {
  announceField(walk, tool, 'id', here, 'tool.id');
  announceField(walk, tool, 'name', here, 'tool.name');
  announceField(walk, tool, 'description', here, 'tool.description');
  const files = announceField(walk, tool, 'files', here, 'tool.files');
  if (isFields(files.value)) {
    walk.visit('tool.files.map', files.value, files.place);
    for (const param of Object.keys(files.value)) {
      walkFileRule(walk, param, own(files.value, param), below(files.place, param));
    }
  }
  announceField(walk, tool, 'confirm', here, 'tool.confirm');
  announceField(walk, tool, 'account', here, 'tool.account');
}

function walkFileRule(walk: Walk, param: string, rule: unknown, here: Place): void {
  walk.visit('tool.file.param', param, here);
  walk.visit('tool.file', rule, here);
  if (!isFields(rule)) return;
  announceField(walk, rule, 'accept', here, 'tool.file.accept');
  announceField(walk, rule, 'maxBytes', here, 'tool.file.maxBytes');
  const prepare = own(rule, 'prepare');
  if (prepare === undefined) return;
  walk.visit('tool.file.prepare', prepare, below(here, 'prepare'));
  walkMedia(walk, prepare, below(here, 'prepare'));
}

/** Each parameter of a media request, and the announcement that lets its rules speak. */
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
  announceField(walk, request, 'op', here, 'media.op');
  walk.visit('media.request', request, here);
  for (const [name, target] of MEDIA_PARAMETERS) {
    const value = own(request, name);
    if (value !== undefined) walk.visit(target, value, below(here, name));
  }
}
