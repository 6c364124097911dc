import type { Context } from '../context.ts';
import { Failure } from '../failure.ts';
import { connectionsKind } from './connections.ts';
import { type Document, says } from './documents.ts';
import { type Kind, nameOf, type Stored } from './kind.ts';
import { playbooksKind } from './playbooks.ts';
import { schedulesKind } from './schedules.ts';
import { testsKind } from './tests.ts';
import { workflowsKind } from './workflows.ts';

/** Those of the project, and the tests and connections of the organization; what others need comes first. */
export async function kindsOf(context: Context): Promise<Kind[]> {
  const { workspace } = context;
  const projectId = await context.project();
  return [
    playbooksKind(workspace, projectId),
    schedulesKind(workspace, projectId),
    workflowsKind(workspace, projectId),
    testsKind(workspace),
    connectionsKind(workspace),
  ];
}

/** The name in a file. */
export function nameIn({ nameFields }: Kind, document: Document, file: string): string {
  for (const field of nameFields)
    if (typeof document[field] !== 'string') throw new Failure(`${file} has no ${field}.`);
  return nameOf(nameFields, document);
}

/** What a file describes, if it is there: names find one thing or none. */
export function sameAs({ folder }: Kind, all: readonly Stored[], name: string): Stored | undefined {
  const same = all.filter((stored) => stored.name === name);
  if (same.length > 1)
    throw new Failure(`The workspace has several ${folder} called ${name}. Rename all but one.`);
  return same[0];
}

/** Fields of a file that differ from what is stored. Secrets cannot be compared. */
export const changedFields = (stored: Stored, document: Document): string[] =>
  Object.keys(document).filter((key) => key !== 'secrets' && !says(document[key], stored.document[key]));
