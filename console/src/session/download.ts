import { errorOf } from '../../../clients/typescript/src/errors.ts';
import { workspace } from './login.ts';

/** Fetches a file of the service with the token, and hands it to the browser under its own name. */
export async function download(path: string): Promise<void> {
  const response = await workspace.send(path);
  if (!response.ok) throw await errorOf(response);
  const url = URL.createObjectURL(await response.blob());
  const link = document.createElement('a');
  link.href = url;
  link.download = nameOf(response.headers.get('content-disposition') ?? '');
  link.click();
  URL.revokeObjectURL(url);
}

/** RFC 6266: the name in UTF-8. */
function nameOf(disposition: string): string {
  const [, escaped] = /filename\*=UTF-8''([^;\s]+)/i.exec(disposition) ?? [];
  return escaped === undefined ? '' : decodeURIComponent(escaped);
}
