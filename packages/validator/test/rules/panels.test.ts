import { describe, expect, it } from 'vitest';
import { exampleEntries } from '../../src/example.ts';
import { validateBundle } from '../../src/validate.ts';
import { findings, letters, linesOf } from '../support.ts';

const panel = { id: 'a', title: 'A', component: 'webview' };
const AT = '/contributes/panels';
const found = (...panels: unknown[]) => findings({ contributes: { panels } });

describe('panels', () => {
  it('is a list of objects', () => {
    expect(findings({ contributes: { panels: 'x' } })).toEqual([`panels.format ${AT}`]);
    expect(found(panel, null)).toEqual([`panels.item ${AT}/1`]);
    expect(found({ ...panel, icon: 1, views: [{ id: 'a' }] })).toEqual([
      `panels.item ${AT}/0/icon`,
      `panels.item ${AT}/0/views`,
    ]);
    expect(found({ ...panel, icon: 'branding', views: [{ id: 'a', label: 'A' }] })).toEqual([]);
  });

  it('has an id and a title of 1 to 40 characters', () => {
    expect(found({ ...panel, id: letters(40), title: letters(40) })).toEqual([]);
    expect(found({ ...panel, id: letters(41), title: letters(41) })).toEqual([
      `panels.id ${AT}/0/id`,
      `panels.title ${AT}/0/title`,
    ]);
  });

  it.each(['native', 'Webview', null, undefined])('refuses the component %j', (component) =>
    expect(found({ ...panel, component })).toEqual([`panels.component ${AT}/0/component`]),
  );
});

describe('the page', () => {
  it.each(['/ui/a.html', '../a.html', 'https://a.example/', 'ui\\a.html', './ui/a.html', '', 7, null])(
    'may not be at %j',
    (entry) => expect(found({ ...panel, config: { entry } })).toEqual([`panels.entry ${AT}/0/config/entry`]),
  );

  it('must be in a config that is an object', () =>
    expect(found({ ...panel, config: [] })).toEqual([`panels.entry ${AT}/0/config`]));

  it('must be in the bundle, also the default page', () => {
    const check = (config: unknown, page: string | undefined) => {
      const sample = {
        manifest: { contributes: { panels: [{ ...panel, config }] } },
        files: { 'ui/index.html': page },
      };
      return linesOf(validateBundle(exampleEntries(sample), { mode: 'store' }).issues);
    };
    expect(check(undefined, '')).toEqual([]);
    expect(check({}, undefined)).toEqual([`bundle.missing ${AT}/0/config/entry`]);
    expect(check({ entry: 'ui/b.html' }, '')).toEqual([`bundle.missing ${AT}/0/config/entry`]);
    expect(check({ entry: 7 }, undefined)).toEqual([`panels.entry ${AT}/0/config/entry`]);
  });
});

it('settings and settingSections must be lists, and their items are not checked', () => {
  expect(findings({ contributes: { settings: [7], settingSections: [] } })).toEqual([]);
  expect(findings({ contributes: { settings: null, settingSections: {} } })).toEqual([
    'settings.format /contributes/settings',
    'settings.format /contributes/settingSections',
  ]);
});
