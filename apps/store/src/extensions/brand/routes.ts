import type { BrandState } from '@svc/contracts';
import type { Context } from 'hono';
import { redirectTo } from '../../core/access/authorise.ts';
import type { Env } from '../../core/access/context.ts';
import { type CsrfDeps, csrfTokenFor } from '../../core/access/csrf.ts';
import type { HandlersOf } from '../../core/access/extension.ts';
import type { BrandChange, ChosenBrand } from '../../core/domain/brand/brand.ts';
import { readAccent, readName, readUploadedLogo } from '../../core/domain/brand/read-brand.ts';
import type { Caller } from '../../core/domain/identity/caller.ts';
import type { Parts, Stores } from '../../core/domain/parts/parts.ts';
import type { Rasters } from '../../core/pictures/rasters.ts';
import { orShowAgain, sendPage } from '../../http/page.ts';
import { ApiError, invalidField } from '../../platform/api-error.ts';
import { networkOf } from '../../platform/network-of.ts';
import { sha256Of } from '../../platform/sha256.ts';
import type { UnitOfWork } from '../../platform/system.ts';
import { type BrandPage, brandPage } from './brand-page.ts';

export type BrandDeps = CsrfDeps &
  Pick<Parts, 'clock' | 'brandBook'> & {
    unitOfWork: UnitOfWork<Pick<Stores, 'chosenBrand' | 'audit'>>;
    rasters: Pick<Rasters, 'drawLogo'>;
    /** The paths of the store's own scripts, by name. */
    staticAddresses: ReadonlyMap<string, string>;
  };

/** The fields of the form; each may be missing. An empty name or accent removes the choice; an empty logo changes nothing. */
type Form = { [Field in 'name' | 'accent' | 'logo' | 'removeLogo']?: string | undefined };

/** Returns what was read. @throws ApiError invalid_request with the fault */
function orInvalid<Read extends object>(what: string, read: Read | { fault: string }): Read {
  if ('fault' in read) throw new ApiError('invalid_request', `The ${what} ${read.fault}.`);
  return read;
}

/** The logo of a form as it is kept: drawn again, so that nothing of the file is served. */
async function logoOf(
  { rasters }: Pick<BrandDeps, 'rasters'>,
  { name: account, from }: Caller,
  { logo = '', removeLogo }: Form,
): Promise<Pick<BrandChange, 'logo'>> {
  if (logo === '') return removeLogo === undefined ? {} : { logo: null };
  const { bytes } = orInvalid('logo', readUploadedLogo(logo));
  return { logo: await rasters.drawLogo(bytes, { account, network: networkOf(from.address) }) };
}

/** Whether a change would make the brand another one. */
const changes = (chosen: ChosenBrand, { name = chosen.name, accent = chosen.accent, logo }: BrandChange) =>
  name !== chosen.name ||
  accent !== chosen.accent ||
  (logo !== undefined && (logo && sha256Of(logo)) !== chosen.logo);

/**
 * Sets the name, the logo and the accent for a tool that sends them again and again; null removes a choice.
 * @throws ApiError invalid_request, also for a part that a setting fixes
 */
async function putBrand(deps: BrandDeps, caller: Caller, state: BrandState): Promise<ChosenBrand> {
  for (const part of ['name', 'accent', 'logo'] as const)
    if (deps.brandBook.given[part] && state[part] !== undefined)
      throw invalidField(part, 'is fixed by a setting of the store: change it there');
  const { name, accent, logo } = state;
  await chooseBrand(deps, caller, {
    ...(name !== undefined && { name: name ?? '' }),
    ...(accent !== undefined && { accent: accent ?? '' }),
    ...(logo === null && { removeLogo: 'on' }),
    ...(typeof logo === 'string' && { logo }),
  });
  return deps.brandBook.chosen();
}

/**
 * Sets the name, the logo and the accent of the store. What settings decide does not change, and what is chosen already changes nothing.
 * @throws ApiError invalid_request, and the errors of the gate of drawings
 */
async function chooseBrand(deps: BrandDeps, caller: Caller, form: Form): Promise<void> {
  const { brandBook, unitOfWork, clock } = deps;
  const { given } = brandBook;
  const { name, accent } = form;
  const change: BrandChange = {
    ...(name !== undefined &&
      !given.name && { name: name.trim() === '' ? null : orInvalid('name', readName(name)).name }),
    ...(accent !== undefined &&
      !given.accent && {
        accent: accent.trim() === '' ? null : orInvalid('accent', readAccent(accent)).accent,
      }),
    ...(!given.logo && (await logoOf(deps, caller, form))),
  };
  await unitOfWork(async ({ chosenBrand, audit }) => {
    if (!changes(await chosenBrand.chosen(), change)) return;
    await chosenBrand.choose(change);
    const chosen = Object.entries(await chosenBrand.chosen()).filter(([, value]) => value !== null);
    const detail = Object.fromEntries(chosen) as Record<string, string>;
    await audit.add(caller, clock().toISOString(), { action: 'brand.change', detail });
  });
  await brandBook.refresh();
}

/** The page that follows the setup, and that administrators open from the settings. */
export function brandRoutes(deps: BrandDeps): HandlersOf<'brand'> {
  const view = (c: Context<Env>, isFirst: boolean): BrandPage => ({
    csrf: csrfTokenFor(deps, c),
    brand: c.get('brand'),
    chosen: deps.brandBook.chosen(),
    given: deps.brandBook.given,
    isFirst,
    script: deps.staticAddresses.get('brand.js'),
  });
  return {
    brandPage: ({ query }, c) => sendPage(c, brandPage(view(c, query.first !== undefined))),
    putBrand: async ({ caller, body }) => {
      const { name, accent, logo } = await putBrand(deps, caller, body);
      return { name, accent, logoSha256: logo };
    },
    chooseBrand: ({ caller, form }, c) => {
      const isFirst = form.first !== undefined;
      const save = async () => {
        await chooseBrand(deps, caller, form);
        return redirectTo(c, isFirst ? '/setup/access?first' : '/admin/settings');
      };
      return orShowAgain(c, ['invalid_request'], save, ({ message: error }) => {
        const page = view(c, isFirst);
        const { name = page.chosen.name, accent = page.chosen.accent, logo = '' } = form;
        const kept = 'bytes' in readUploadedLogo(logo) ? logo : undefined;
        return brandPage({ ...page, chosen: { ...page.chosen, name, accent }, logo: kept, error });
      });
    },
  };
}
