import { Button, Card, FileButton, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { Cable, FileUp, FlaskConical } from 'lucide-react';
import type { ReactNode } from 'react';
import { give } from '../intake/given.ts';
import { SampleData } from '../intake/sample.tsx';
import { LinkButton } from '../parts/link-button.tsx';
import * as texts from '../texts/index.ts';

const labels = texts.home.begin;

/** Three ways to a first table, each of which begins with one click. */
export function Begin() {
  const navigate = useNavigate();
  const take = (files: File[]) => {
    give(files);
    void navigate({ to: '/in-project/$room', params: { room: 'import' } });
  };
  return (
    <section aria-label={labels.title}>
      <Text c="dimmed">{labels.hint}</Text>
      <div className="cards">
        <Way icon={<FileUp size={20} />} {...labels.file}>
          <FileButton multiple onChange={take}>
            {(props) => (
              <Button variant="filled" {...props}>
                {texts.intake.choose}
              </Button>
            )}
          </FileButton>
        </Way>
        <Way icon={<FlaskConical size={20} />} {...labels.sample}>
          <SampleData />
        </Way>
        <Way icon={<Cable size={20} />} {...labels.source}>
          <LinkButton to="/connections">{labels.connect}</LinkButton>
        </Way>
      </div>
    </section>
  );
}

interface WayProps {
  icon: ReactNode;
  title: string;
  text: string;
  children: ReactNode;
}

const Way = ({ icon, title, text, children }: WayProps) => (
  <Card withBorder padding="md">
    {icon}
    <h2>{title}</h2>
    <Text c="dimmed" mb="sm">
      {text}
    </Text>
    {children}
  </Card>
);
