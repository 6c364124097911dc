import { Button } from '@mantine/core';
import { useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { Failure } from '../parts/states.tsx';
import * as texts from '../texts/index.ts';
import { finishSignIn, signIn } from './login.ts';

/** Where the service leads back to after the sign-in. */
export function CallbackPage() {
  const router = useRouter();
  const [fault, setFault] = useState<Error>();
  useEffect(() => {
    const answer = new URLSearchParams(location.search);
    // Development renders twice; a code works once.
    if (!answer.has('state')) return;
    history.replaceState(null, '', location.pathname);
    finishSignIn(answer).then((page) => router.history.replace(page), setFault);
  }, [router]);
  if (fault === undefined) return null;
  return (
    <Failure title={texts.signInFailed} error={fault} onRetry={() => void signIn(import.meta.env.BASE_URL)} />
  );
}

export function SignedOutPage() {
  return (
    <main className="alone">
      <h1>{texts.signedOut.title}</h1>
      <p>
        <Button onClick={() => void signIn(import.meta.env.BASE_URL)}>{texts.signedOut.again}</Button>
      </p>
    </main>
  );
}
