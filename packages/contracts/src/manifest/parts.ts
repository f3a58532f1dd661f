import { z } from 'zod';
import { LIMITS, PROVIDERS } from '../vocabulary.ts';

/** Path of a bundle entry: relative, forward slashes, no step upwards. */
export const BundlePath = z
  .string()
  .min(1)
  .regex(/^(?!\/)(?!.*(?:^|\/)\.\.(?:\/|$))[^\\]+$/);

/** An address that must be reached over TLS. */
export const HttpsUrl = z.string().regex(/^https:\/\/[^\s]+$/);

/** Where the tools run, and what hosts the app talks to. */
export const Remote = z
  .object({
    mcpUrl: HttpsUrl.describe(
      'Where the MCP server answers (Streamable HTTP). Its host counts as one of the domains.',
    ),
    domains: z
      .array(z.string().min(1).max(253))
      .max(LIMITS.remote.domains)
      .describe(
        'Hosts beyond that of `mcpUrl`: `api.example.com` or `*.example.com`, without scheme, path or port.',
      ),
  })
  .meta({ id: 'Remote', description: 'Where the tools run, and what hosts the app talks to.' });
export type Remote = z.infer<typeof Remote>;

/** How the app looks in lists and headers. */
export const Branding = z
  .object({
    icon: BundlePath.describe('Square PNG or SVG, 512 pixels a side, 1 MB at most.'),
    mark: BundlePath.optional().describe('Single-colour SVG for small places, 1 MB at most.'),
    accent: z
      .string()
      .regex(/^#[0-9a-fA-F]{6}$/)
      .optional()
      .describe('Accent colour, `#RRGGBB`.'),
    screenshots: z
      .array(BundlePath)
      .max(LIMITS.branding.screenshots)
      .optional()
      .describe('PNG, JPEG or WebP, 3 MB each.'),
  })
  .meta({
    id: 'Branding',
    description: 'How the app looks in lists and headers. Paths are those of files in the bundle.',
  });
export type Branding = z.infer<typeof Branding>;

/** An OAuth account the app's tools may need. */
export const Account = z
  .object({
    id: z
      .string()
      .regex(/^[a-z][a-z0-9_]*$/)
      .describe('Name by which tools refer to the account.'),
    label: z
      .string()
      .min(1)
      .max(LIMITS.account.label)
      .describe('What the user reads where the account is connected.'),
    auth: z
      .literal('mcp')
      .optional()
      .describe('`mcp`: the client finds the endpoints by asking the MCP server.'),
    authorizeUrl: HttpsUrl.optional().describe('Authorization endpoint; needed unless `auth` is `mcp`.'),
    tokenUrl: HttpsUrl.optional().describe('Token endpoint; needed unless `auth` is `mcp`.'),
    revokeUrl: HttpsUrl.optional().describe('Revocation endpoint (RFC 7009), called on disconnect.'),
    clientId: z
      .string()
      .min(1)
      .max(LIMITS.account.clientId)
      .optional()
      .describe('Client id of a public client; a secret has no place in a manifest.'),
    scopes: z.array(z.string()).describe('Scopes to ask for; may be empty.'),
    required: z
      .boolean()
      .optional()
      .describe('Ask the user to connect as soon as the app is on, not at first use.'),
    params: z
      .record(z.string(), z.string())
      .optional()
      .describe('Extra parameters of the authorization request.'),
  })
  .meta({ id: 'Account', description: 'An OAuth account that tools of the app may need.' });
export type Account = z.infer<typeof Account>;

const Reason = z
  .string()
  .min(1)
  .max(LIMITS.requires.reason)
  .describe('Why the app needs it; shown before install.');

/** What must be there for the app to work. */
export const Requires = z
  .object({
    providers: z
      .array(z.enum(PROVIDERS))
      .optional()
      .describe('Narrows which chat providers see the tools; without it, all do.'),
    apps: z
      .array(
        z.object({
          id: z.string().describe('Id of a built-in or a published app.'),
          github: z.string().optional().describe('`owner/repo`, for local folders only.'),
          reason: Reason,
        }),
      )
      .max(LIMITS.requires.entries)
      .optional()
      .describe('Apps that must be installed too.'),
    connectors: z
      .array(
        z.object({
          url: HttpsUrl.describe('Where the MCP server answers.'),
          reason: Reason,
          required: z
            .boolean()
            .optional()
            .describe('The app waits until the connector is added and on; otherwise it is a fallback.'),
        }),
      )
      .max(LIMITS.requires.entries)
      .optional()
      .describe('Hosted MCP servers the app works with.'),
    optional: z
      .array(
        z.union([
          z.object({ id: z.string().describe('Id of an app.'), reason: Reason }),
          z.object({ url: HttpsUrl.describe('Where an MCP server answers.'), reason: Reason }),
        ]),
      )
      .max(LIMITS.requires.entries)
      .optional()
      .describe('Apps or connectors that make it better but are not needed.'),
  })
  .meta({ id: 'Requires', description: 'What must be there for the app to work.' });
export type Requires = z.infer<typeof Requires>;
