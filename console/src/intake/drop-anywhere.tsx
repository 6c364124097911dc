import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useProjectId } from '../project/current.ts';
import * as texts from '../texts/index.ts';
import { give } from './given.ts';

const hasFiles = ({ dataTransfer }: DragEvent): boolean => dataTransfer?.types.includes('Files') === true;

/** Files that are dropped on any page lead to their import. */
export function DropAnywhere() {
  const navigate = useNavigate();
  const projectId = useProjectId();
  const [isOver, setIsOver] = useState(false);
  useEffect(() => {
    const over = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setIsOver(true);
    };
    const leave = (event: DragEvent) => {
      if (event.relatedTarget === null) setIsOver(false);
    };
    const drop = (event: DragEvent) => {
      setIsOver(false);
      const files = event.dataTransfer?.files;
      if (files === undefined || files.length === 0) return;
      event.preventDefault();
      give(files);
      void (projectId === undefined
        ? navigate({ to: '/in-project/$room', params: { room: 'import' } })
        : navigate({ to: '/projects/$projectId/import', params: { projectId } }));
    };
    addEventListener('dragover', over);
    addEventListener('dragleave', leave);
    addEventListener('drop', drop);
    return () => {
      removeEventListener('dragover', over);
      removeEventListener('dragleave', leave);
      removeEventListener('drop', drop);
    };
  }, [navigate, projectId]);
  return isOver ? <div className="drop">{texts.intake.drop}</div> : null;
}
