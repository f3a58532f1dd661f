import { LIMITS, MEDIA_FORMATS } from '@svc/contracts/vocabulary';
import { repairNumber } from '../repairs.ts';
import { errorRule, type Repair } from '../rule.ts';
import { didYouMean, namesOf, repairName, show } from '../text.ts';
import { isWithin } from '../values.ts';
import { inRequest } from './media.ts';

const { dimension, offset, quality, targetKb, timeSeconds } = LIMITS.media;
const FITS = ['cover', 'contain', 'fill'] as const;
const GRAVITIES = ['center', 'north', 'south', 'east', 'west'] as const;
const FIT_NAMES = namesOf(FITS, { stretch: 'fill' });
const GRAVITY_NAMES = namesOf(GRAVITIES, {
  centre: 'center',
  middle: 'center',
  top: 'north',
  up: 'north',
  bottom: 'south',
  down: 'south',
  right: 'east',
  left: 'west',
});
const FORMAT_NAMES = namesOf(MEDIA_FORMATS, { jpg: 'jpeg', '.jpg': 'jpeg' });
const ASPECT = /^[1-9]\d*:[1-9]\d*$/;

/** The parameters of a media request. Each is checked wherever it occurs, for every operation. */
export const mediaParameterRules = [
  errorRule('media.dimension', 'media.dimension', {
    message: (value) =>
      `A dimension must be a whole number from ${dimension.min} to ${dimension.max} pixels, not ${show(value)}.`,
    why: "Larger images could use up the memory of the user's machine.",
    example: inRequest('/width', { op: 'resize', width: 0.5 }, { op: 'resize', width: 512 }),
    fails: (value) => !isWithin(value, dimension, true),
    repair: (value) => repairNumber(value, dimension, true),
  }),
  errorRule('media.offset', 'media.offset', {
    message: (value) =>
      `An offset must be a whole number from ${offset.min} to ${offset.max} pixels, not ${show(value)}.`,
    why: 'The offset is where the crop begins, from the left or from the top.',
    example: inRequest(
      '/x',
      { op: 'crop', width: 64, height: 64, x: -1 },
      { op: 'crop', width: 64, height: 64, x: 0 },
    ),
    fails: (value) => !isWithin(value, offset, true),
    repair: (value) => repairNumber(value, offset, true),
  }),
  errorRule('media.aspect', 'media.aspect', {
    message: (value) => `"aspect" must be two whole numbers such as "1:1" or "16:9", not ${show(value)}.`,
    why: 'The aspect is the ratio of width to height.',
    example: inRequest('/aspect', { op: 'crop', aspect: 'square' }, { op: 'crop', aspect: '1:1' }),
    fails: (value) => typeof value !== 'string' || !ASPECT.test(value),
    repair: repairAspect,
  }),
  errorRule('media.fit', 'media.fit', {
    message: (value) =>
      `"fit" must be one of ${FITS.join(', ')}, not ${show(value)}.${didYouMean(value, FIT_NAMES)}`,
    why: 'It determines how to fit an image whose aspect ratio differs from the requested size.',
    example: inRequest(
      '/fit',
      { op: 'resize', width: 64, fit: 'stretch' },
      { op: 'resize', width: 64, fit: 'fill' },
    ),
    fails: (value) => !FITS.some((fit) => fit === value),
    repair: (value) => repairName(value, FIT_NAMES),
  }),
  errorRule('media.gravity', 'media.gravity', {
    message: (value) =>
      `"gravity" must be one of ${GRAVITIES.join(', ')}, not ${show(value)}.${didYouMean(value, GRAVITY_NAMES)}`,
    why: 'It determines which part of the image to keep.',
    example: inRequest(
      '/gravity',
      { op: 'crop', aspect: '1:1', gravity: 'top' },
      { op: 'crop', aspect: '1:1', gravity: 'north' },
    ),
    fails: (value) => !GRAVITIES.some((gravity) => gravity === value),
    repair: (value) => repairName(value, GRAVITY_NAMES),
  }),
  errorRule('media.format.value', 'media.format', {
    message: (value) =>
      `"format" must be one of ${MEDIA_FORMATS.join(', ')}, not ${show(value)}.${didYouMean(value, FORMAT_NAMES)}`,
    why: 'The client can only write these formats.',
    example: inRequest('/format', { op: 'convert', format: 'bmp' }, { op: 'convert', format: 'png' }),
    fails: (value) => !MEDIA_FORMATS.some((format) => format === value),
    repair: (value) => repairName(value, FORMAT_NAMES),
  }),
  errorRule('media.quality', 'media.quality', {
    message: (value) =>
      `"quality" must be a number from ${quality.min} to ${quality.max}, not ${show(value)}.`,
    why: 'The quality is a percentage greater than 0.',
    example: inRequest('/quality', { op: 'compress', quality: 0 }, { op: 'compress', quality: 80 }),
    fails: (value) => !isWithin(value, quality),
    repair: (value) => repairNumber(value, quality),
  }),
  errorRule('media.targetKb', 'media.targetKb', {
    message: (value) =>
      `"targetKb" must be a number from ${targetKb.min} to ${targetKb.max}, not ${show(value)}.`,
    why: 'The size is in kilobytes. Smaller files are not possible, and the client does not send larger ones.',
    example: inRequest('/targetKb', { op: 'compress', targetKb: 5 }, { op: 'compress', targetKb: 500 }),
    fails: (value) => !isWithin(value, targetKb),
    repair: (value) => repairNumber(value, targetKb),
  }),
  errorRule('media.time', 'media.time', {
    message: (value) =>
      `A time must be a number of seconds from ${timeSeconds.min} to ${timeSeconds.max}, not ${show(value)}.`,
    why: "Longer recordings could keep the user's machine busy for too long.",
    example: inRequest('/end', { op: 'trim', end: 601 }, { op: 'trim', end: 600 }),
    fails: (value) => !isWithin(value, timeSeconds),
    repair: (value) => repairNumber(value, timeSeconds),
  }),
] as const;

/** Two numbers with any common separator. */
const LOOSE_ASPECT = /^0{0,9}(\d{1,9})\s*[:/xX×]\s*0{0,9}(\d{1,9})$/;

function repairAspect(value: unknown): Repair | undefined {
  if (typeof value !== 'string') return undefined;
  const [, width, height] = LOOSE_ASPECT.exec(value.trim()) ?? [];
  const aspect = value.trim().toLowerCase() === 'square' ? '1:1' : `${width}:${height}`;
  return ASPECT.test(aspect) ? { put: aspect } : undefined;
}
