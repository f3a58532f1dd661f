import { z } from 'zod';
import { LIMITS, PROVIDERS } from '../vocabulary.ts';

/**
 * What a string may contain. `line`: visible characters on a single line. `text`: line feeds and tabs too, for descriptions and
 * Markdown. `format`: the rule of the field already excludes invisible characters. `unshown`: the string is never shown.
 */
export type TextClass = 'line' | 'text' | 'format' | 'unshown';

/** The classes of the strings of the manifest that are not `line`. An enum or a literal is `format` without an entry. */
export const TEXT_CLASS = z.registry<{ text: TextClass }>();

/** Path of a bundle entry: relative, forward slashes, no `..`. */
export const BundlePath = z
  .string()
  .min(1)
  .regex(/^(?!\/)(?!.*(?:^|\/)\.\.(?:\/|$))[^\\]+$/);

/** An https URL. */
export const HttpsUrl = z.string().regex(/^https:\/\/[^\s]+$/);

/** Where the tools run, and which hosts the app connects to. */
export const Remote = z
  .object({
    mcpUrl: HttpsUrl.describe('URL of the MCP server (Streamable HTTP). Its host is one of the domains.'),
    domains: z
      .array(z.string().min(1).max(253).register(TEXT_CLASS, { text: 'format' }))
      .max(LIMITS.remote.domains)
      .describe('Additional hosts: `api.example.com` or `*.example.com`, without scheme, path or port.'),
  })
  .meta({ id: 'Remote', description: 'Where the tools run, and which hosts the app connects to.' });
export type Remote = z.infer<typeof Remote>;

/** How the app looks in lists and headers. */
export const Branding = z
  .object({
    icon: BundlePath.describe('Square PNG or SVG with sides of 512 pixels, at most 1 MB.'),
    mark: BundlePath.optional().describe('Single-colour SVG for small sizes, at most 1 MB.'),
    accent: z
      .string()
      .regex(/^#[0-9a-fA-F]{6}$/)
      .register(TEXT_CLASS, { text: 'format' })
      .optional()
      .describe('Accent colour, `#RRGGBB`.'),
    screenshots: z
      .array(BundlePath)
      .max(LIMITS.branding.screenshots)
      .optional()
      .describe('PNG, JPEG or WebP, at most 3 MB each.'),
  })
  .meta({
    id: 'Branding',
    description: 'How the app looks in lists and headers. All paths are paths of files in the bundle.',
  });
export type Branding = z.infer<typeof Branding>;

/** An OAuth account that tools of the app need. */
export const Account = z
  .object({
    id: z
      .string()
      .regex(/^[a-z][a-z0-9_]*$/)
      .register(TEXT_CLASS, { text: 'format' })
      .describe('Id by which tools refer to the account.'),
    label: z.string().min(1).max(LIMITS.account.label).describe('Label, for users who connect the account.'),
    auth: z
      .literal('mcp')
      .optional()
      .describe('`mcp`: the client discovers the endpoints through the MCP server.'),
    authorizeUrl: HttpsUrl.optional().describe('Authorization endpoint; required unless `auth` is `mcp`.'),
    tokenUrl: HttpsUrl.optional().describe('Token endpoint; required unless `auth` is `mcp`.'),
    revokeUrl: HttpsUrl.optional().describe('Revocation endpoint (RFC 7009), called on disconnect.'),
    clientId: z
      .string()
      .min(1)
      .max(LIMITS.account.clientId)
      .optional()
      .describe('Client id of a public client. A manifest must not contain a client secret.'),
    scopes: z
      .array(z.string().register(TEXT_CLASS, { text: 'format' }))
      .describe('Scopes to request; may be empty.'),
    required: z
      .boolean()
      .optional()
      .describe(
        'Whether the client asks the user to connect when the app is turned on, instead of at first use.',
      ),
    params: z
      .record(z.string(), z.string())
      .optional()
      .describe('Additional parameters of the authorization request.'),
  })
  .meta({ id: 'Account', description: 'An OAuth account that tools of the app need.' });
export type Account = z.infer<typeof Account>;

const Reason = z
  .string()
  .min(1)
  .max(LIMITS.requires.reason)
  .describe('Why the app needs it; shown before install.');

/** What the app needs to work. */
export const Requires = z
  .object({
    providers: z
      .array(z.enum(PROVIDERS))
      .optional()
      .describe('Chat providers that may use the tools; all by default.'),
    apps: z
      .array(
        z.object({
          id: z
            .string()
            .register(TEXT_CLASS, { text: 'format' })
            .describe('Id of a built-in or published app.'),
          github: z.string().optional().describe('`owner/repo`; only in local folders.'),
          reason: Reason,
        }),
      )
      .max(LIMITS.requires.entries)
      .optional()
      .describe('Apps that must be installed too.'),
    connectors: z
      .array(
        z.object({
          url: HttpsUrl.describe('URL of the MCP server.'),
          reason: Reason,
          required: z
            .boolean()
            .optional()
            .describe(
              'Whether the app needs the connector to be added and on. If not, the connector is a fallback.',
            ),
        }),
      )
      .max(LIMITS.requires.entries)
      .optional()
      .describe('Hosted MCP servers that the app uses.'),
    optional: z
      .array(
        z.union([
          z.object({
            id: z.string().register(TEXT_CLASS, { text: 'format' }).describe('Id of an app.'),
            reason: Reason,
          }),
          z.object({ url: HttpsUrl.describe('URL of an MCP server.'), reason: Reason }),
        ]),
      )
      .max(LIMITS.requires.entries)
      .optional()
      .describe('Apps or connectors that improve the app but are not required.'),
  })
  .meta({ id: 'Requires', description: 'What the app needs to work.' });
export type Requires = z.infer<typeof Requires>;
