import { Button, Menu, Modal } from '@mantine/core';
import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useContext, useState } from 'react';
import * as texts from '../texts/index.ts';
import { InMenu } from './more.tsx';
import { Failure } from './states.tsx';
import { Sure } from './sure.tsx';

interface ActionProps {
  children: ReactNode;
  does: () => Promise<unknown>;
  /** What is read anew once it is done. */
  changes?: readonly QueryKey[];
  /** Asked before it is done. */
  confirm?: string | undefined;
  /** The one thing that most people come to the page for. */
  isPrimary?: boolean;
  /** Whether something is gone afterwards: the answer to the question is red. */
  destroys?: boolean;
  isDisabled?: boolean;
  icon?: ReactNode;
}

/**
 * A button that asks the service for something, waits for the answer, and says why it failed. Within `More` it is an
 * item of the menu, and says so in a dialog, since the menu is closed by then.
 */
export function Action(props: ActionProps) {
  const { children, does, changes = [], confirm, isPrimary, destroys = false, isDisabled, icon } = props;
  const queries = useQueryClient();
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: does,
    onSuccess: () => Promise.all(changes.map((queryKey) => queries.invalidateQueries({ queryKey }))),
  });
  const [isAsking, setIsAsking] = useState(false);
  const isInMenu = useContext(InMenu);
  const button = {
    disabled: isPending || isDisabled === true,
    leftSection: icon,
    onClick: () => (confirm === undefined ? mutate() : setIsAsking(true)),
    children,
  };
  return (
    <>
      {isInMenu ? (
        <Menu.Item {...button} {...(destroys ? { color: 'red' } : {})} />
      ) : (
        <Button {...button} {...(isPrimary ? { variant: 'filled' } : {})} />
      )}
      {confirm !== undefined && (
        <Sure
          isOpen={isAsking}
          onClose={() => setIsAsking(false)}
          question={confirm}
          yes={children}
          onYes={() => mutate()}
          destroys={destroys}
        />
      )}
      {isInMenu ? (
        <Modal opened={error !== null} onClose={reset} closeButtonProps={{ 'aria-label': texts.parts.close }}>
          {error !== null && <Failure error={error} />}
        </Modal>
      ) : (
        error !== null && <Failure error={error} />
      )}
    </>
  );
}
