import { Loading } from '@svc/ui';
import { type ComponentType, lazy, type ReactNode, Suspense } from 'react';

type PropsOf<Part> = Part extends (props: infer Props extends object) => ReactNode ? Props : object;

/**
 * A part of a page that comes with an extension: its script is loaded when it is first shown.
 * @param load imports the file with the component
 * @param name of the component
 */
export function partOf<Module, Name extends keyof Module>(load: () => Promise<Module>, name: Name) {
  const Part = lazy(async () => ({ default: (await load())[name] as ComponentType<object> }));
  return (props: PropsOf<Module[Name]>) => (
    <Suspense fallback={<Loading />}>
      <Part {...props} />
    </Suspense>
  );
}
