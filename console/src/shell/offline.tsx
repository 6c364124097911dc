import { onlineManager } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import * as texts from '../texts/index.ts';

const subscribe = (listener: () => void) => onlineManager.subscribe(listener);
const isOnline = () => onlineManager.isOnline();

/** Says that there is no network, as long as there is none. */
export function Offline() {
  const online = useSyncExternalStore(subscribe, isOnline);
  return (
    <div role="status" className={online ? undefined : 'fault'}>
      {!online && texts.parts.offline}
    </div>
  );
}
