import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { workspace } from '../../session/login.ts';
import { bodyOf, type Draft, draftOf, type SentTrigger, sentTrigger } from './draft.ts';
import type { Workflow } from './graph.ts';

/** How long nothing is changed before it is saved and checked. */
const pauseMs = 800;

export type DraftState = 'saved' | 'changed' | 'saving';

/** The draft of a workflow, which is saved a while after the last change: the service checks what it has. */
export function useDraft(workflow: Workflow) {
  const { id } = workflow;
  const queries = useQueryClient();
  const [draft, setDraft] = useState(() => draftOf(workflow));
  const [saved, setSaved] = useState(draft);
  /** How often it was taken from the service: texts that are half written begin anew then. */
  const [loads, setLoads] = useState(0);
  /** Texts that can't be saved yet, because they aren't valid JSON. */
  const [halves, setHalves] = useState(0);
  const onHalf = useCallback((by: 1 | -1) => setHalves((count) => count + by), []);
  const revision = useRef(workflow.revision);
  const isChanged = draft !== saved;

  /** As the service answered last; what it shows once is not sent back. */
  const stored = () => queries.getQueryData<{ data: Workflow }>(['workflow', id])?.data ?? workflow;
  /** Writes take turns: each goes on from the revision that the one before has made. */
  const turns = useRef<Promise<unknown>>(Promise.resolve());
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const turn = turns.current.catch(() => undefined).then(work);
    turns.current = turn;
    return turn;
  };
  /** The draft that the service has. */
  const stands = useRef(draft);
  const write = async (
    what: Draft,
    triggers: SentTrigger[] = stored().triggers.map(sentTrigger),
  ): Promise<Workflow> => {
    const { data } = await workspace.put('/v1/workflows/{workflow_id}', {
      params: { path: { workflow_id: id } },
      body: { ...bodyOf(what, stored(), revision.current), triggers },
    });
    stands.current = what;
    moved(data);
    return data;
  };
  const put = (what: Draft) =>
    inTurn(() => (stands.current === what ? Promise.resolve(stored()) : write(what)));
  /** The workflow as an action of this page has made it. */
  const moved = (to: Workflow) => {
    revision.current = to.revision;
    queries.setQueryData(['workflow', id], { data: to });
    void queries.invalidateQueries({ queryKey: ['workflows'] });
  };
  const { mutateAsync, reset, isPending, error } = useMutation({
    mutationFn: put,
    onSuccess: (_, what) => setSaved(what),
  });
  const save = () => mutateAsync(draft).catch(() => undefined);
  const take = (from: Workflow) => {
    const read = draftOf(from);
    revision.current = from.revision;
    stands.current = read;
    setDraft(read);
    setSaved(read);
    setLoads((count) => count + 1);
    reset();
  };

  const isRefused = error !== null;
  /** The same as long as it does the same: what is given it is not drawn again for nothing. */
  const change = useCallback(
    (how: (before: Draft) => Draft) => {
      if (isRefused) reset();
      setDraft(how);
    },
    [isRefused, reset],
  );
  const latest = useRef({ draft, save, take, leave: () => {} });
  useEffect(() => {
    latest.current = {
      draft,
      save,
      take,
      // Nothing waits for it: the page is gone.
      leave: () => void (isChanged && !isRefused && put(draft).catch(() => undefined)),
    };
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: each change of the draft begins the pause anew.
  useEffect(() => {
    if (!isChanged || isPending || isRefused) return;
    const timer = setTimeout(() => void latest.current.save(), pauseMs);
    return () => clearTimeout(timer);
  }, [draft, isChanged, isPending, isRefused]);
  useEffect(() => () => latest.current.leave(), []);
  // It was changed elsewhere, and not here.
  useEffect(() => {
    if (!isChanged && workflow.revision > revision.current) latest.current.take(workflow);
  }, [workflow, isChanged]);

  return {
    draft,
    saved,
    loads,
    halves,
    onHalf,
    error,
    state: (isPending ? 'saving' : isChanged ? 'changed' : 'saved') as DraftState,
    change,
    save,
    /** Saves the draft with other triggers, and resolves with the workflow as the service has it then. */
    saveTriggers: (how: (stored: readonly SentTrigger[]) => readonly SentTrigger[]): Promise<Workflow> =>
      inTurn(async () => {
        const what = latest.current.draft;
        const answer = await write(what, [...how(stored().triggers.map(sentTrigger))]);
        setSaved(what);
        return answer;
      }),
    /** Saves what is not saved yet, and resolves with the revision to go on from; refused, it rejects. */
    async settled(): Promise<number> {
      if (isChanged) await mutateAsync(draft);
      return revision.current;
    },
    moved,
    /** Drops what was changed here. */
    async reload() {
      const { data } = await workspace.get('/v1/workflows/{workflow_id}', {
        params: { path: { workflow_id: id } },
      });
      moved(data);
      take(data);
    },
  };
}

export type DraftInHand = ReturnType<typeof useDraft>;
