import { LIMITS } from '@svc/contracts/vocabulary';
import { didYouMean, namesOf, repairName } from '../names.ts';
import { isBundlePath, tidyPath } from '../paths.ts';
import { defineRule } from '../rule.ts';
import { isText, show, textFault } from '../text.ts';
import { isFields, isList, own } from '../values.ts';

const COMPONENT = 'webview';
const COMPONENT_NAMES = namesOf([COMPONENT]);

const panel = { id: 'notes', title: 'Notes', component: 'webview' } as const;

/** The pages an app shows inside the client, and the values people set for it. */
export const panelRules = [
  defineRule({
    code: 'panels.format',
    level: 'error',
    target: 'panels',
    message: (value) => `"panels" must be a list, not ${show(value)}; leave it out when there are none.`,
    why: 'Panels are shown in the order in which they are listed.',
    example: {
      path: '/contributes/panels',
      broken: { manifest: { contributes: { panels: { notes: panel } } } },
      fixed: { manifest: { contributes: { panels: [panel] } } },
    },
    fails: (panels) => panels !== undefined && !Array.isArray(panels),
  }),
  defineRule({
    code: 'panels.item',
    level: 'error',
    target: 'panel',
    message:
      'A panel must be an object; its "icon" is a string, and its "views" are a list of objects with "id" and "label".',
    why: 'The client builds the header of the panel from it.',
    example: {
      path: '/contributes/panels/0',
      broken: { manifest: { contributes: { panels: ['ui/index.html'] } } },
      fixed: { manifest: { contributes: { panels: [panel] } } },
    },
    fails: (value) => {
      if (!isFields(value)) return true;
      const wrong = [
        ...(isIcon(own(value, 'icon')) ? [] : ['icon']),
        ...(isViews(own(value, 'views')) ? [] : ['views']),
      ];
      return wrong.map((name) => ({ at: [name], value: own(value, name) }));
    },
  }),
  defineRule({
    code: 'panels.id',
    level: 'error',
    target: 'panel.id',
    message: (value) => textFault('"id"', value, LIMITS.panel.id),
    why: 'The client remembers by it which panels are open.',
    example: {
      path: '/contributes/panels/0/id',
      broken: { manifest: { contributes: { panels: [{ ...panel, id: '' }] } } },
      fixed: { manifest: { contributes: { panels: [panel] } } },
    },
    fails: (id) => !isText(id, LIMITS.panel.id),
  }),
  defineRule({
    code: 'panels.title',
    level: 'error',
    target: 'panel.title',
    message: (value) => textFault('"title"', value, LIMITS.panel.title),
    why: 'It is what people read on the tab.',
    example: {
      path: '/contributes/panels/0/title',
      broken: { manifest: { contributes: { panels: [{ ...panel, title: '' }] } } },
      fixed: { manifest: { contributes: { panels: [panel] } } },
    },
    fails: (title) => !isText(title, LIMITS.panel.title),
  }),
  defineRule({
    code: 'panels.component',
    level: 'error',
    target: 'panel.component',
    message: (value) =>
      `"component" must be "${COMPONENT}", not ${show(value)}.${didYouMean(value, COMPONENT_NAMES)}`,
    why: 'A page in a sandbox is the one kind of panel that may come from outside.',
    example: {
      path: '/contributes/panels/0/component',
      broken: { manifest: { contributes: { panels: [{ ...panel, component: 'native' }] } } },
      fixed: { manifest: { contributes: { panels: [panel] } } },
    },
    fails: (component) => component !== COMPONENT,
    // Left out, there is only one it can be; another one may ask for something that there is not.
    repair: (value) => (value === undefined ? { put: COMPONENT } : repairName(value, COMPONENT_NAMES)),
  }),
  defineRule({
    code: 'panels.entry',
    level: 'error',
    target: 'panel.config',
    message: (value) =>
      `"config.entry" must be the path of a page in the bundle, such as "ui/index.html", not ${show(value)}.`,
    why: 'The page is served from the bundle that was reviewed, and from nowhere else.',
    example: {
      path: '/contributes/panels/0/config/entry',
      broken: {
        manifest: { contributes: { panels: [{ ...panel, config: { entry: '../index.html' } }] } },
      },
      fixed: {
        manifest: { contributes: { panels: [{ ...panel, config: { entry: 'ui/index.html' } }] } },
      },
    },
    fails: (config) => {
      if (config === undefined) return false;
      if (!isFields(config)) return true;
      const entry = own(config, 'entry');
      return entry === undefined || isBundlePath(entry) ? false : [{ at: ['entry'], value: entry }];
    },
    repair: (value, { entries }, { step }) => {
      const path = step === 'entry' ? tidyPath(value, entries) : undefined;
      return path === undefined ? undefined : { put: path };
    },
  }),
  defineRule({
    code: 'settings.format',
    level: 'error',
    target: 'settings',
    message: (value) =>
      `Settings must be a list, not ${show(value)}; leave the field out when there are none.`,
    why: 'The client shows settings in the order in which they are listed.',
    example: {
      path: '/contributes/settings',
      broken: { manifest: { contributes: { settings: { theme: 'dark' } } } },
      fixed: {
        manifest: { contributes: { settings: [{ id: 'theme', label: 'Theme', type: 'string' }] } },
      },
    },
    fails: (settings) => settings !== undefined && !Array.isArray(settings),
  }),
] as const;

function isIcon(icon: unknown): boolean {
  return icon === undefined || typeof icon === 'string';
}

function isViews(views: unknown): boolean {
  if (views === undefined) return true;
  return (
    isList(views) && views.every((view) => isFields(view) && isView(own(view, 'id'), own(view, 'label')))
  );
}

function isView(id: unknown, label: unknown): boolean {
  return typeof id === 'string' && typeof label === 'string';
}
