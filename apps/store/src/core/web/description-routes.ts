import {
  MANIFEST_SCHEMA_PATH,
  manifestJsonSchema,
  openApiDocument,
  type PublicKey,
  type StoreKey,
} from '@svc/contracts';
import type { Context } from 'hono';
import type { Handlers } from '../access/bind-route.ts';
import type { Env } from '../access/context.ts';
import { sendEncoded } from '../catalog/routes.ts';
import type { Parts } from '../domain/parts/parts.ts';
import { type Fixed, fixedJson } from './fixed.ts';
import { securityTxt } from './security-txt.ts';

type DescriptionDeps = Pick<Parts, 'baseUrl' | 'routeNames' | 'clock'> & {
  securityContact: string | null;
  publicKey: PublicKey;
  /** All keys, oldest first. */
  keyChain: readonly StoreKey[];
};

const asHandler = (send: Fixed) => (_request: unknown, c: Context<Env>) => send(c);

/** What programs read about the store: its API, the JSON Schema of the manifest, its public keys, and whom to tell of a vulnerability. */
export const descriptionRoutes = (deps: DescriptionDeps) => {
  const { baseUrl, routeNames, publicKey, keyChain } = deps;
  return {
    openApi: asHandler(fixedJson(() => openApiDocument(baseUrl, routeNames))),
    manifestSchema: asHandler(
      fixedJson(() => manifestJsonSchema(baseUrl + MANIFEST_SCHEMA_PATH), 'application/schema+json'),
    ),
    publicKey: asHandler(fixedJson(() => publicKey)),
    publicKeys: asHandler(fixedJson(() => ({ keys: keyChain }))),
    securityTxt: (_request, c) => sendEncoded(c, securityTxt(deps)),
  } satisfies Handlers;
};
