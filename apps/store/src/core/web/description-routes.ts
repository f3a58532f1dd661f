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
import type { Parts } from '../domain/parts/parts.ts';
import { type Fixed, fixedJson } from './fixed.ts';

type DescriptionDeps = Pick<Parts, 'baseUrl' | 'routeNames'> & {
  publicKey: PublicKey;
  /** All keys, oldest first. */
  keyChain: readonly StoreKey[];
};

const asHandler = (send: Fixed) => (_request: unknown, c: Context<Env>) => send(c);

/** What programs read about the store: its API, the JSON Schema of the manifest, and its public keys. */
export const descriptionRoutes = ({ baseUrl, routeNames, publicKey, keyChain }: DescriptionDeps) =>
  ({
    openApi: asHandler(fixedJson(() => openApiDocument(baseUrl, routeNames))),
    manifestSchema: asHandler(
      fixedJson(() => manifestJsonSchema(baseUrl + MANIFEST_SCHEMA_PATH), 'application/schema+json'),
    ),
    publicKey: asHandler(fixedJson(() => publicKey)),
    publicKeys: asHandler(fixedJson(() => ({ keys: keyChain }))),
  }) satisfies Handlers;
