import { LIMITS } from '@svc/contracts/vocabulary';
import { isReservedName } from '@svc/text';
import { didYouMeanPath, isBundlePath, tidyPath } from '../paths.ts';
import { errorRule, inContributes, inObject } from '../rule.ts';
import { didYouMean, isText, namesOf, repairName, show, textFault } from '../text.ts';
import { isFields, isList, own } from '../values.ts';

const COMPONENT = 'webview';
const COMPONENT_NAMES = namesOf([COMPONENT]);

const panel = { id: 'notes', title: 'Notes', component: 'webview' } as const;
const inPanel = inObject('/contributes/panels/0', panel, (entry) => ({ contributes: { panels: [entry] } }));

/** The panels of an app, and its settings. */
export const panelRules = [
  errorRule('panels.format', 'panels', {
    message: (value) => `"panels" must be a list, not ${show(value)}. Remove it if the app has no panels.`,
    why: 'The client shows panels in the order of the list.',
    example: inContributes('/panels', { panels: { notes: panel } }, { panels: [panel] }),
    fails: (panels) => panels !== undefined && !Array.isArray(panels),
  }),
  errorRule('panels.item', 'panel', {
    message:
      'A panel must be an object. "icon" must be a string, and "views" a list of objects with "id" and "label".',
    why: 'The client builds the header of the panel from these fields.',
    example: inContributes('/panels/0', { panels: ['ui/index.html'] }, { panels: [panel] }),
    fails: (value) => {
      if (!isFields(value)) return true;
      const wrong = [
        ...(isIcon(own(value, 'icon')) ? [] : ['icon']),
        ...(isViews(own(value, 'views')) ? [] : ['views']),
      ];
      return wrong.map((name) => ({ at: [name], value: own(value, name) }));
    },
  }),
  errorRule('panels.id', 'panel.id', {
    message: (value) => textFault('"id"', value, LIMITS.panel.id),
    why: 'The client stores which panels are open by their ids.',
    example: inPanel('/id', { id: '' }),
    fails: (id) => !isText(id, LIMITS.panel.id),
  }),
  errorRule('panels.title', 'panel.title', {
    message: (value) =>
      isText(value, LIMITS.panel.title)
        ? `"title" contains a reserved name: ${show(value)}. Choose another title.`
        : textFault('"title"', value, LIMITS.panel.title),
    why: 'Users read it on the tab. It must not suggest that the panel is from the service or from the owner of a protected name.',
    example: inPanel('/title', { title: '' }),
    fails: (title, { reservedNames }) =>
      !isText(title, LIMITS.panel.title) || reservedNames.some((reserved) => isReservedName(title, reserved)),
  }),
  errorRule('panels.component', 'panel.component', {
    message: (value) =>
      `"component" must be "${COMPONENT}", not ${show(value)}.${didYouMean(value, COMPONENT_NAMES)}`,
    why: 'A store app may only have panels that are web pages in a sandbox.',
    example: inPanel('/component', { component: 'native' }),
    fails: (component) => component !== COMPONENT,
    // A missing value can only be this one. Any other value may mean a feature that does not exist.
    repair: (value) => (value === undefined ? { put: COMPONENT } : repairName(value, COMPONENT_NAMES)),
  }),
  errorRule('panels.entry', 'panel.config', {
    message: (value, { entries }) =>
      `"config.entry" must be the path of a page in the bundle, such as "ui/index.html", not ${show(value)}.${didYouMeanPath(value, entries)}`,
    why: 'The client shows only pages from the reviewed bundle.',
    example: inPanel(
      '/config/entry',
      { config: { entry: '../index.html' } },
      { config: { entry: 'ui/index.html' } },
    ),
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
  errorRule('settings.format', 'settings', {
    message: (value) =>
      `"settings" must be a list, not ${show(value)}. Remove it if the app has no settings.`,
    why: 'The client shows settings in the order of the list.',
    example: inContributes(
      '/settings',
      { settings: { theme: 'dark' } },
      { settings: [{ id: 'theme', label: 'Theme', type: 'string' }] },
    ),
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
