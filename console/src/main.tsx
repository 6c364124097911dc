import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core';
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { freshMs } from './parts/polling.ts';
import { router } from './router.tsx';
import { isSignedOut, signIn, themeKey } from './session/login.ts';
import { theme } from './style/theme.ts';
import './style/index.css';

/** A login that has ended begins anew, on the page where it was missed. */
const onError = (error: unknown) => {
  if (isSignedOut(error)) void signIn();
};

const queries = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  // The client below has tried again already.
  defaultOptions: {
    // Without a network requests fail, and say so, instead of waiting for one.
    queries: { retry: false, staleTime: freshMs, networkMode: 'always', refetchOnReconnect: true },
    mutations: { networkMode: 'always' },
  },
});

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    {/* Its variables and classes are in our own style sheet: the policy of the page allows no style elements. */}
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      withCssVariables={false}
      withGlobalClasses={false}
      colorSchemeManager={localStorageColorSchemeManager({ key: themeKey })}
    >
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
