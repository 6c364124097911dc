import { AppError } from '../../../data/errors.ts';
import {
  type ChartDocument,
  type ChartRequest,
  type ChartResult,
  chartSpec,
  DocumentFault,
} from '../../../packages/documents/index.ts';

/** A fault of the input as the error that users see; any other error as it is. */
export function asAppError(error: unknown): unknown {
  if (!(error instanceof DocumentFault)) return error;
  return new AppError('invalid_request', error.message, { cause: error });
}

/**
 * The Vega-Lite document of a chart.
 *
 * @throws AppError invalid_request, saying what to change
 */
export function chartDocument(request: ChartRequest, result: ChartResult): ChartDocument {
  try {
    return chartSpec(request, result);
  } catch (error) {
    throw asAppError(error);
  }
}
