import type { Extension } from '../../core/access/extension.ts';
import { type BrandDeps, brandRoutes } from './routes.ts';

/** Administrators choose the name, the logo and the accent of the store. Without it settings decide them. */
export const brand: Extension<BrandDeps> = {
  name: 'brand',
  open: (parts) => ({ routes: brandRoutes(parts) }),
};
