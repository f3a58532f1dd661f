import type { HiddenCharacter } from '@svc/text';
import type { Budget } from './obfuscation/budget.ts';
import type { Picture, SvgPicture } from './pictures/picture.ts';
import type { Sides } from './pictures/sides.ts';

/** An object of a JSON document, as far as anybody knows before a rule has looked at it. */
export type Fields = Readonly<Record<string, unknown>>;

/** A list of a JSON document. */
export type List = readonly unknown[];

/** A character that a reader cannot see, in a string that may have lines or must be one. */
export type HiddenText = HiddenCharacter & { readonly lines: boolean };

/** A file of the bundle: its full name and its bytes. */
export type BundleFile = { readonly name: string; readonly bytes: Uint8Array };

/**
 * Everything the walk announces, and the type a rule on that target gets to see. A target of type `unknown` is announced
 * whatever stands there; the narrower ones only when the value has that type. So a rule about domains never asks
 * whether it was given a string, and a list that is no list is reported once, by the rule about its shape.
 */
export interface Targets {
  /** The whole document. */
  manifest: unknown;
  /** The whole document, known to be an object: for rules about fields that exclude each other. */
  'manifest.fields': Fields;
  server: unknown;
  activation: unknown;
  pluginApiVersion: unknown;
  id: unknown;
  'id.text': string;
  name: unknown;
  'name.text': string;
  version: unknown;
  description: unknown;
  permissions: unknown;
  /** A list of permission sentences, to be checked against the grants. */
  'permissions.list': List;
  publisher: unknown;
  contributes: unknown;
  'contributes.skills': unknown;
  'contributes.hooks': unknown;
  'contributes.mcp': unknown;
  'contributes.adapters': unknown;
  'contributes.secrets': unknown;
  homepage: unknown;
  support: unknown;
  categories: unknown;
  category: string;
  platforms: unknown;
  platform: unknown;
  arch: unknown;
  'arch.item': unknown;

  grants: unknown;
  grant: string;

  remote: unknown;
  'remote.mcpUrl': unknown;
  'remote.domains': unknown;
  'remote.domains.list': List;
  'remote.domain': string;

  network: unknown;
  /** The same field again: that it is there at all is a fault of its own. */
  'network.present': unknown;
  'network.fields': Fields;
  'network.domains.list': List;
  'network.domain': string;

  branding: unknown;
  'branding.accent': unknown;
  'branding.icon': unknown;
  'branding.mark': unknown;
  'branding.screenshots': unknown;
  'branding.icon.file': BundleFile;
  'branding.mark.file': BundleFile;
  'branding.screenshot.file': BundleFile;
  /** What the icon and the mark turn out to be, when they are not too large to be looked at. */
  'branding.icon.picture': Picture;
  'branding.mark.picture': Picture;
  /** The shape of an icon that is a picture; undefined when it does not give one. */
  'branding.icon.sides': Sides | undefined;
  /** The shorter side of an icon made of pixels. */
  'branding.icon.side': number;
  /** The mark, and an icon that is an SVG. */
  'branding.svg': SvgPicture;

  accounts: unknown;
  'accounts.list': List;
  account: unknown;
  'account.id': unknown;
  'account.label': unknown;
  'account.auth': unknown;
  /** These three when there, or when the account cannot do without: it can when its MCP server tells them. */
  'account.authorizeUrl': unknown;
  'account.tokenUrl': unknown;
  'account.clientId': unknown;
  /** Known to be there. */
  'account.revokeUrl': unknown;
  'account.scopes': unknown;
  'account.params': unknown;
  /** The name of one extra authorization parameter. */
  'account.param': string;

  tools: unknown;
  'tools.list': List;
  tool: unknown;
  'tool.id': unknown;
  'tool.name': unknown;
  'tool.description': unknown;
  'tool.confirm': unknown;
  'tool.account': unknown;
  'tool.files': unknown;
  'tool.files.map': Fields;
  /** The name of a tool argument that takes files. */
  'tool.file.param': string;
  'tool.file': unknown;
  'tool.file.accept': unknown;
  'tool.file.maxBytes': unknown;
  /** A request to prepare files, known to be there. */
  'tool.file.prepare': unknown;

  media: unknown;
  'media.op': unknown;
  /** A media request whose operation is known, for what that operation needs. */
  'media.request': Fields;
  'media.dimension': unknown;
  'media.offset': unknown;
  'media.aspect': unknown;
  'media.fit': unknown;
  'media.gravity': unknown;
  'media.format': unknown;
  'media.quality': unknown;
  'media.targetKb': unknown;
  'media.time': unknown;

  panels: unknown;
  panel: unknown;
  'panel.id': unknown;
  'panel.title': unknown;
  'panel.component': unknown;
  'panel.config': unknown;
  settings: unknown;

  requires: unknown;
  'requires.list': List;
  'requires.entry': unknown;
  'requires.reason': unknown;
  'requires.app': Fields;
  'requires.id': unknown;
  'requires.github': unknown;
  'requires.url': unknown;
  'requires.required': unknown;
  'requires.optional': Fields;

  /** Size of the zip in bytes. */
  'bundle.size': number;
  /** Whether a file that every bundle has, or should have, is there. */
  'bundle.manifest': boolean;
  'bundle.readme': boolean;
  /** Why `plugin.json` cannot be read, and where in it; or what a reader cannot see in one of its strings. */
  'bundle.manifest.problem': string | HiddenText;
  'bundle.name': string;
  'bundle.file': BundleFile;
  /** A name directly under the root of the bundle: a file's, or a folder's with a `/` behind it. */
  'bundle.top': string;
  /** A file that may hold JavaScript, with what may still be parsed of the bundle's scripts. */
  'bundle.script': BundleFile & { readonly budget: Budget };
  /** A bundle path that the manifest names. */
  'bundle.reference': string;
}

export type TargetName = keyof Targets;
