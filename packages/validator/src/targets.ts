import type { Manifest } from '@svc/contracts';
import type { HiddenCharacter } from '@svc/text';
import type { Picture, Sides, SvgPicture } from './pictures/picture.ts';

/** An object of a JSON document, before it is checked. */
export type Fields = Readonly<Record<string, unknown>>;

/** A list of a JSON document. */
export type List = readonly unknown[];

/** An invisible character in a string. `lines` is whether line feeds and tabs are allowed there. */
export type HiddenText = HiddenCharacter & { readonly lines: boolean };

/** A file of the bundle: its path and its bytes. */
export type BundleFile = { readonly name: string; readonly bytes: Uint8Array };

type Contributes = Manifest['contributes'];
type Item<List> = NonNullable<List> extends readonly (infer One)[] ? One : never;
type Within<Prefix extends string, Of> = `${Prefix}.${keyof Of & string}`;

/** Each field of these objects is a target by its name, visited for any value, also when it is missing. */
type FieldTarget =
  | keyof Manifest
  | Within<'remote', Manifest['remote']>
  | Within<'branding', Manifest['branding']>
  | Within<'account', Item<Manifest['accounts']>>
  | Within<'tool', Item<Contributes['tools']>>
  | Within<'panel', Item<Contributes['panels']>>;

/**
 * All targets that the walk visits, with the types of their values. A target of type `unknown` is visited
 * for any value; the others only when the value has their type. So a rule about domains does not have to check
 * for strings, and an invalid list is reported once, by the rule about its shape.
 */
export interface Targets extends Record<FieldTarget, unknown> {
  manifest: unknown;
  /** The whole document if it is an object: for rules about fields that exclude each other. */
  'manifest.fields': Fields;
  server: unknown;
  activation: unknown;
  'id.text': string;
  'name.text': string;
  /** A list of permission sentences, to be checked against the grants. */
  'permissions.list': List;
  'contributes.skills': unknown;
  'contributes.hooks': unknown;
  'contributes.mcp': unknown;
  'contributes.adapters': unknown;
  'contributes.secrets': unknown;
  category: string;
  platform: unknown;
  'arch.item': unknown;

  grant: string;

  'remote.domains.list': List;
  'remote.domain': string;

  network: unknown;
  /** The same field again, for the rule that does not allow it at all. */
  'network.present': unknown;
  'network.fields': Fields;
  'network.domains.list': List;
  'network.domain': string;

  'branding.icon.file': BundleFile;
  'branding.mark.file': BundleFile;
  'branding.screenshot.file': BundleFile;
  /** The content of the icon and the mark, if the files are not too large. */
  'branding.icon.picture': Picture;
  'branding.mark.picture': Picture;
  /** The size of an icon; undefined when the file does not declare one. */
  'branding.icon.sides': Sides | undefined;
  /** The shorter side of a raster icon. */
  'branding.icon.side': number;
  /** The mark, and an SVG icon. */
  'branding.svg': SvgPicture;

  'accounts.list': List;
  account: unknown;
  /** The name of an additional authorization parameter. */
  'account.param': string;

  tools: unknown;
  'tools.list': List;
  tool: unknown;
  'tool.files.map': Fields;
  /** The name of a tool argument that accepts files. */
  'tool.file.param': string;
  'tool.file': unknown;
  'tool.file.accept': unknown;
  'tool.file.maxBytes': unknown;
  /** A media request; only visited when it exists. */
  'tool.file.prepare': unknown;

  media: unknown;
  'media.op': unknown;
  /** A media request with a known operation, for the parameters that the operation needs. */
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
  settings: unknown;

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
  /** Whether the bundle has the file. */
  'bundle.manifest': boolean;
  'bundle.readme': boolean;
  /** README.md or CHANGELOG.md. */
  'bundle.text': BundleFile;
  /** Why `plugin.json` cannot be parsed, and where; or an invisible character in one of its strings. */
  'bundle.manifest.problem': string | HiddenText;
  'bundle.name': string;
  'bundle.file': BundleFile;
  /** A name at the top level of the bundle: of a file, or of a folder with `/` at the end. */
  'bundle.top': string;
  /** A file that may contain JavaScript. */
  'bundle.script': BundleFile;
  /** A bundle path in the manifest. */
  'bundle.reference': string;
}

export type TargetName = keyof Targets;
