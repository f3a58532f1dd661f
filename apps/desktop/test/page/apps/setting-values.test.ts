import { describe, expect, it } from 'vitest';
import { currentValue, settingsOf } from '../../../page/src/apps/setting-values.ts';
import { MANIFEST } from '../support/sample-data.ts';

const SETTINGS = MANIFEST.contributes.settings ?? [];

const formOf = (values: Record<string, string>) => {
  const form = new FormData();
  for (const [name, value] of Object.entries(values)) form.set(name, value);
  return form;
};

describe('the settings of an app', () => {
  it('have the saved value, or else the default of the manifest', () => {
    const [folder, size, quiet] = SETTINGS;
    expect(folder && currentValue(folder, {})).toBe('Inbox');
    expect(size && currentValue(size, { size: 0 })).toBe(0);
    expect(quiet && currentValue(quiet, {})).toBe(false);
  });

  it('are converted to the types of the manifest', () => {
    const form = formOf({ folder: '', size: '7.5', quiet: 'on', order: 'oldest', other: 'x' });
    expect(settingsOf(SETTINGS, form)).toEqual({ folder: '', size: 7.5, quiet: true, order: 'oldest' });
  });

  it('leave out invalid numbers and unknown choices', () => {
    expect(settingsOf(SETTINGS, formOf({ size: 'NaN', order: 'newestest' }))).toEqual({
      folder: '',
      quiet: false,
    });
  });
});
