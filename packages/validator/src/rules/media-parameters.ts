import { LIMITS, MEDIA_FORMATS } from '@svc/contracts';
import { defineRule } from '../rule.ts';
import { show } from '../text.ts';
import { isWithin } from '../values.ts';
import { prepare } from './media.ts';

const { dimension, offset, quality, targetKb, timeSeconds } = LIMITS.media;
const FITS = ['cover', 'contain', 'fill'] as const;
const GRAVITIES = ['center', 'north', 'south', 'east', 'west'] as const;
const ASPECT = /^[1-9]\d*:[1-9]\d*$/;
const REQUEST = '/contributes/tools/0/files/image/prepare';

/** The values a media request may carry; each is judged wherever it stands, whatever the operation. */
export const mediaParameterRules = [
  defineRule({
    code: 'media.dimension',
    level: 'error',
    target: 'media.dimension',
    message: (value) =>
      `A dimension must be a whole number from ${dimension.min} to ${dimension.max} pixels, not ${show(value)}.`,
    why: 'Larger images would use up the memory of the machine.',
    example: {
      path: `${REQUEST}/width`,
      broken: prepare({ op: 'resize', width: 0.5 }),
      fixed: prepare({ op: 'resize', width: 512 }),
    },
    fails: (value) => !isWithin(value, dimension, true),
  }),
  defineRule({
    code: 'media.offset',
    level: 'error',
    target: 'media.offset',
    message: (value) =>
      `An offset must be a whole number from ${offset.min} to ${offset.max} pixels, not ${show(value)}.`,
    why: 'It is where the cut begins, counted from the left or the top.',
    example: {
      path: `${REQUEST}/x`,
      broken: prepare({ op: 'crop', width: 64, height: 64, x: -1 }),
      fixed: prepare({ op: 'crop', width: 64, height: 64, x: 0 }),
    },
    fails: (value) => !isWithin(value, offset, true),
  }),
  defineRule({
    code: 'media.aspect',
    level: 'error',
    target: 'media.aspect',
    message: (value) => `"aspect" must be two whole numbers such as "1:1" or "16:9", not ${show(value)}.`,
    why: 'It is the ratio of width to height.',
    example: {
      path: `${REQUEST}/aspect`,
      broken: prepare({ op: 'crop', aspect: 'square' }),
      fixed: prepare({ op: 'crop', aspect: '1:1' }),
    },
    fails: (value) => typeof value !== 'string' || !ASPECT.test(value),
  }),
  defineRule({
    code: 'media.fit',
    level: 'error',
    target: 'media.fit',
    message: (value) => `"fit" must be one of ${FITS.join(', ')}, not ${show(value)}.`,
    why: 'It says what to do when the image has another shape than the size asked for.',
    example: {
      path: `${REQUEST}/fit`,
      broken: prepare({ op: 'resize', width: 64, fit: 'stretch' }),
      fixed: prepare({ op: 'resize', width: 64, fit: 'fill' }),
    },
    fails: (value) => !FITS.some((fit) => fit === value),
  }),
  defineRule({
    code: 'media.gravity',
    level: 'error',
    target: 'media.gravity',
    message: (value) => `"gravity" must be one of ${GRAVITIES.join(', ')}, not ${show(value)}.`,
    why: 'It says which part of the image to keep.',
    example: {
      path: `${REQUEST}/gravity`,
      broken: prepare({ op: 'crop', aspect: '1:1', gravity: 'top' }),
      fixed: prepare({ op: 'crop', aspect: '1:1', gravity: 'north' }),
    },
    fails: (value) => !GRAVITIES.some((gravity) => gravity === value),
  }),
  defineRule({
    code: 'media.format.value',
    level: 'error',
    target: 'media.format',
    message: (value) => `"format" must be one of ${MEDIA_FORMATS.join(', ')}, not ${show(value)}.`,
    why: 'The client writes these formats and no others.',
    example: {
      path: `${REQUEST}/format`,
      broken: prepare({ op: 'convert', format: 'bmp' }),
      fixed: prepare({ op: 'convert', format: 'png' }),
    },
    fails: (value) => !MEDIA_FORMATS.some((format) => format === value),
  }),
  defineRule({
    code: 'media.quality',
    level: 'error',
    target: 'media.quality',
    message: (value) =>
      `"quality" must be a number from ${quality.min} to ${quality.max}, not ${show(value)}.`,
    why: 'It is a percentage, and nothing is left at 0.',
    example: {
      path: `${REQUEST}/quality`,
      broken: prepare({ op: 'compress', quality: 0 }),
      fixed: prepare({ op: 'compress', quality: 80 }),
    },
    fails: (value) => !isWithin(value, quality),
  }),
  defineRule({
    code: 'media.targetKb',
    level: 'error',
    target: 'media.targetKb',
    message: (value) =>
      `"targetKb" must be a number from ${targetKb.min} to ${targetKb.max}, not ${show(value)}.`,
    why: 'It is a size in kilobytes; smaller ones cannot be reached, larger ones not be carried.',
    example: {
      path: `${REQUEST}/targetKb`,
      broken: prepare({ op: 'compress', targetKb: 5 }),
      fixed: prepare({ op: 'compress', targetKb: 500 }),
    },
    fails: (value) => !isWithin(value, targetKb),
  }),
  defineRule({
    code: 'media.time',
    level: 'error',
    target: 'media.time',
    message: (value) =>
      `A time must be a number of seconds from ${timeSeconds.min} to ${timeSeconds.max}, not ${show(value)}.`,
    why: 'Longer recordings would keep the machine busy for too long.',
    example: {
      path: `${REQUEST}/end`,
      broken: prepare({ op: 'trim', end: 601 }),
      fixed: prepare({ op: 'trim', end: 600 }),
    },
    fails: (value) => !isWithin(value, timeSeconds),
  }),
] as const;
