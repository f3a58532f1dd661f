import { LIMITS, MEDIA_OPS } from '@svc/contracts/vocabulary';
import { misspeltIn } from '../misspelt.ts';
import { errorRule, inObject } from '../rule.ts';
import type { Fields } from '../targets.ts';
import { didYouMean, namesOf, repairName, show } from '../text.ts';
import { isFields, isWithin, own } from '../values.ts';

const OPS: ReadonlySet<unknown> = new Set(MEDIA_OPS);
const OP_NAMES = namesOf(MEDIA_OPS);

/** An example in the media request of a tool. */
export const inRequest = inObject('/contributes/tools/0/files/image/prepare', {}, (prepare) => {
  const tool = { id: 'read', name: 'Read', description: 'Reads an image.', files: { image: { prepare } } };
  return { contributes: { tools: [tool] }, grants: ['files:receive', 'host:media'] };
});

/** The operation of a media request and the parameters that it needs; their values are checked in media-parameters.ts. */
export const mediaRules = [
  errorRule('media.format', 'media', {
    message: (value) =>
      `A media request must be an object with an "op", one of ${MEDIA_OPS.join(', ')}; ${show(value)} has none.${misspeltIn(value, 'op')}`,
    why: 'The operation determines which other parameters are used.',
    example: inRequest('', { width: 1024 }, { op: 'resize', width: 1024 }),
    fails: (request) => !isFields(request) || own(request, 'op') === undefined,
  }),
  errorRule('media.op', 'media.op', {
    message: (value) =>
      `Unknown media operation ${show(value)}: use one of ${MEDIA_OPS.join(', ')}.${didYouMean(value, OP_NAMES)}`,
    why: 'The client only supports these operations.',
    example: inRequest('/op', { op: 'rotate' }, { op: 'resize', width: 1024 }),
    fails: (op) => op !== undefined && !OPS.has(op),
    repair: (value) => repairName(value, OP_NAMES),
  }),
  errorRule('media.resize', 'media.request', {
    message: '"resize" needs "width", "height" or both.',
    why: 'Without both, the target size is unknown. With one, the other follows from the aspect ratio.',
    example: inRequest('', { op: 'resize', fit: 'cover' }, { op: 'resize', width: 1024, fit: 'cover' }),
    fails: (request) => isOp(request, 'resize') && !hasOne(request, 'width', 'height'),
  }),
  errorRule('media.crop', 'media.request', {
    message: '"crop" needs "width" and "height", or an "aspect" such as "1:1".',
    why: 'One side alone does not determine the area to keep.',
    example: inRequest('', { op: 'crop', width: 512 }, { op: 'crop', width: 512, height: 512 }),
    fails: (request) =>
      isOp(request, 'crop') &&
      !hasOne(request, 'aspect') &&
      !(hasOne(request, 'width') && hasOne(request, 'height')),
  }),
  errorRule('media.convert', 'media.request', {
    message: '"convert" needs a "format", such as "webp".',
    why: 'Without it the target format is unknown.',
    example: inRequest('', { op: 'convert' }, { op: 'convert', format: 'webp' }),
    fails: (request) => isOp(request, 'convert') && !hasOne(request, 'format'),
  }),
  errorRule('media.compress', 'media.request', {
    message: '"compress" needs "quality" or "targetKb".',
    why: 'Without a quality or a target size, the client does not know how much to compress.',
    example: inRequest('', { op: 'compress' }, { op: 'compress', quality: 80 }),
    fails: (request) => isOp(request, 'compress') && !hasOne(request, 'quality', 'targetKb'),
  }),
  errorRule('media.trim', 'media.request', {
    message: '"trim" needs "start", "end" or both, in seconds.',
    why: 'Without both, there is nothing to trim.',
    example: inRequest('', { op: 'trim' }, { op: 'trim', end: 30 }),
    fails: (request) => isOp(request, 'trim') && !hasOne(request, 'start', 'end'),
  }),
  errorRule('media.trim.range', 'media.request', {
    message: (value) => `"end" must be greater than "start" (0 by default), not ${show(value)}.`,
    why: 'The result would be empty.',
    example: inRequest('/end', { op: 'trim', start: 30, end: 10 }, { op: 'trim', start: 10, end: 30 }),
    fails: (request) => {
      const start = own(request, 'start') ?? LIMITS.media.timeSeconds.min;
      const end = own(request, 'end');
      // Another rule reports a time out of range.
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
