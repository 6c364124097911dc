import { errorOf } from '../../../clients/typescript/src/errors.ts';
import { workspace } from '../session/login.ts';

interface Which {
  projectId: string;
  reportId: string;
  revision: number;
  format: 'raw' | 'markdown' | 'pdf' | 'docx';
}

/** Where the content of a revision is read. */
export const contentPath = ({ projectId, reportId, revision, format }: Which): string => {
  const query = new URLSearchParams({ format, revision: String(revision) });
  const [project, report] = [projectId, reportId].map(encodeURIComponent);
  return `/v1/projects/${project}/reports/${report}/content?${query}`;
};

export async function reportText(which: Which): Promise<string> {
  const response = await workspace.send(contentPath(which));
  if (!response.ok) throw await errorOf(response);
  return response.text();
}
