import { LIMITS, MEDIA_OPS } from '@svc/contracts/vocabulary';
import { misspeltIn } from '../misspelt.ts';
import { didYouMean, namesOf, repairName } from '../names.ts';
import { defineRule, type Sample } from '../rule.ts';
import type { Fields } from '../targets.ts';
import { show } from '../text.ts';
import { isFields, isWithin, own } from '../values.ts';

const OPS: ReadonlySet<unknown> = new Set(MEDIA_OPS);
const OP_NAMES = namesOf(MEDIA_OPS);

/** What a media request asks for as a whole; the values of its parameters are in media-parameters.ts. */
export const mediaRules = [
  defineRule({
    code: 'media.format',
    level: 'error',
    target: 'media',
    message: (value) =>
      `A media request must be an object with an "op" of ${MEDIA_OPS.join(', ')}; ${show(value)} has none.${misspeltIn(value, 'op')}`,
    why: 'The operation decides which of the other parameters count.',
    example: {
      path: '/contributes/tools/0/files/image/prepare',
      broken: prepare({ width: 1024 }),
      fixed: prepare({ op: 'resize', width: 1024 }),
    },
    fails: (request) => !isFields(request) || own(request, 'op') === undefined,
  }),
  defineRule({
    code: 'media.op',
    level: 'error',
    target: 'media.op',
    message: (value) =>
      `There is no media operation ${show(value)}: use one of ${MEDIA_OPS.join(', ')}.${didYouMean(value, OP_NAMES)}`,
    why: 'The client can do these and no others.',
    example: {
      path: '/contributes/tools/0/files/image/prepare/op',
      broken: prepare({ op: 'rotate' }),
      fixed: prepare({ op: 'resize', width: 1024 }),
    },
    fails: (op) => op !== undefined && !OPS.has(op),
    repair: (value) => repairName(value, OP_NAMES),
  }),
  defineRule({
    code: 'media.resize',
    level: 'error',
    target: 'media.request',
    message: '"resize" needs "width", "height" or both.',
    why: 'With neither there is no size to bring the image to; with one the other follows.',
    example: {
      path: '/contributes/tools/0/files/image/prepare',
      broken: prepare({ op: 'resize', fit: 'cover' }),
      fixed: prepare({ op: 'resize', width: 1024, fit: 'cover' }),
    },
    fails: (request) => isOp(request, 'resize') && !hasOne(request, 'width', 'height'),
  }),
  defineRule({
    code: 'media.crop',
    level: 'error',
    target: 'media.request',
    message: '"crop" needs "width" and "height", or an "aspect" such as "1:1".',
    why: 'One side alone does not say what to cut away.',
    example: {
      path: '/contributes/tools/0/files/image/prepare',
      broken: prepare({ op: 'crop', width: 512 }),
      fixed: prepare({ op: 'crop', width: 512, height: 512 }),
    },
    fails: (request) =>
      isOp(request, 'crop') &&
      !hasOne(request, 'aspect') &&
      !(hasOne(request, 'width') && hasOne(request, 'height')),
  }),
  defineRule({
    code: 'media.convert',
    level: 'error',
    target: 'media.request',
    message: '"convert" needs the "format" to convert to, such as "webp".',
    why: 'Without it there is nothing to convert to.',
    example: {
      path: '/contributes/tools/0/files/image/prepare',
      broken: prepare({ op: 'convert' }),
      fixed: prepare({ op: 'convert', format: 'webp' }),
    },
    fails: (request) => isOp(request, 'convert') && !hasOne(request, 'format'),
  }),
  defineRule({
    code: 'media.compress',
    level: 'error',
    target: 'media.request',
    message: '"compress" needs "quality" or "targetKb".',
    why: 'One says how much may be lost, the other how small the result must be; with neither, anything would do.',
    example: {
      path: '/contributes/tools/0/files/image/prepare',
      broken: prepare({ op: 'compress' }),
      fixed: prepare({ op: 'compress', quality: 80 }),
    },
    fails: (request) => isOp(request, 'compress') && !hasOne(request, 'quality', 'targetKb'),
  }),
  defineRule({
    code: 'media.trim',
    level: 'error',
    target: 'media.request',
    message: '"trim" needs "start", "end" or both, in seconds.',
    why: 'With neither there is nothing to cut away.',
    example: {
      path: '/contributes/tools/0/files/image/prepare',
      broken: prepare({ op: 'trim' }),
      fixed: prepare({ op: 'trim', end: 30 }),
    },
    fails: (request) => isOp(request, 'trim') && !hasOne(request, 'start', 'end'),
  }),
  defineRule({
    code: 'media.trim.range',
    level: 'error',
    target: 'media.request',
    message: (value) => `"end" must be after "start" (0 when left out), not at ${show(value)}.`,
    why: 'Nothing would be left of the recording.',
    example: {
      path: '/contributes/tools/0/files/image/prepare/end',
      broken: prepare({ op: 'trim', start: 30, end: 10 }),
      fixed: prepare({ op: 'trim', start: 10, end: 30 }),
    },
    fails: (request) => {
      const start = own(request, 'start') ?? LIMITS.media.timeSeconds.min;
      const end = own(request, 'end');
      // A time out of range is a fault of its own.
      if (!isOp(request, 'trim') || !isTime(start) || !isTime(end) || end > start) return false;
      return [{ at: ['end'], value: end }];
    },
  }),
] as const;

function isOp(request: Fields, op: (typeof MEDIA_OPS)[number]): boolean {
  return own(request, 'op') === op;
}

function hasOne(request: Fields, ...names: string[]): boolean {
  return names.some((name) => own(request, name) !== undefined);
}

function isTime(value: unknown): value is number {
  return isWithin(value, LIMITS.media.timeSeconds);
}

/** A manifest with this media request. */
export function prepare(request: unknown): Sample {
  const files = { image: { prepare: request } };
  const tool = { id: 'read', name: 'Read', description: 'Reads an image.', files };
  return { manifest: { contributes: { tools: [tool] }, grants: ['files:receive', 'host:media'] } };
}
