import type { Contributes } from '@svc/contracts';

export type Setting = NonNullable<Contributes['settings']>[number];
export type SettingValue = string | number | boolean;

/** The saved value of a setting, or its default. */
export function currentValue(setting: Setting, values: Readonly<Record<string, SettingValue>>): SettingValue {
  if (Object.hasOwn(values, setting.id)) return values[setting.id] ?? '';
  return setting.default ?? (setting.type === 'boolean' ? false : '');
}

/**
 * Parses a form into setting values. An empty or invalid number and an unknown option are left out: the app then reads its
 * default.
 */
export function settingsOf(settings: readonly Setting[], form: FormData): Record<string, SettingValue> {
  const entries = settings.flatMap(({ id, type, options = [] }): [string, SettingValue][] => {
    const text = String(form.get(id) ?? '');
    if (type === 'boolean') return [[id, form.has(id)]];
    if (type === 'number') {
      const number = Number(text);
      return text.trim() === '' || !Number.isFinite(number) ? [] : [[id, number]];
    }
    if (type === 'select') return options.includes(text) ? [[id, text]] : [];
    return [[id, text]];
  });
  return Object.fromEntries(entries);
}
