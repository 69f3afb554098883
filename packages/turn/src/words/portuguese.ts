import { portugueseCommands } from './commands/portuguese.ts';
import type { Words } from './words.ts';

export const portuguese: Words = {
  ...portugueseCommands,
  failedOverflow:
    'Esta conversa já não cabe no modelo, mesmo condensada. /new começa um novo capítulo; nada se perde.',
  failedBusy: 'O modelo está ocupado e não respondeu a tempo. Escreva de novo daqui a pouco, por favor.',
  failedQuota:
    'O limite da conta do modelo esgotou-se{until}, por isso não posso responder agora. O operador é avisado no registo.',
  forMinutes: ' durante {count} minutos',
  forHours: ' durante cerca de {count} horas',
  failedSetup: 'O modelo não pode ser usado como está configurado. O operador é avisado no registo.',
  failedUnreachable: 'Não foi possível contactar o modelo ou ele interrompeu-se. Escreva de novo, por favor.',
  failedRefused: 'O modelo recusou o pedido. O operador é avisado no registo.',
  failedStopped: 'A resposta foi interrompida.',
  messageKept: 'A sua mensagem fica guardada.',
  droppedOne: ' Uma mensagem em espera foi descartada.',
  droppedMany: ' {count} mensagens em espera foram descartadas.',
  stopped: 'Parado.',
  interrupted: 'Parado pela sua mensagem mais recente.',
  stopping: 'A resposta está a ser interrompida.',
  nothingRuns: 'Não há nada em curso.',
  answerIsOver: 'Essa resposta já tinha terminado; nada foi interrompido.',
  buried:
    'Não consegui terminar uma resposta à sua última mensagem após várias tentativas. Ela fica guardada; envie-a de novo ou com outras palavras, por favor.',
  cut: '(a resposta atingiu o limite de comprimento; diga «continua» para mais)',
  timedOut: 'A resposta demorou demasiado e foi terminada. Diga «continua» para prosseguir.',
  condensing:
    'Um momento: estou a condensar a parte mais antiga da nossa conversa antes de responder. Nada se perde.',
  condensed:
    'Condensei a parte mais antiga da nossa conversa antes de responder. Nada se perdeu: posso continuar a consultar tudo.',
  condensedLocally:
    'A nossa conversa ficou longa e o resumo não ficou pronto a tempo. Continuo com um breve esboço da parte mais antiga; nada se perde e posso continuar a consultar tudo.',
  notCondensed:
    'Não consegui condensar agora a parte mais antiga da nossa conversa; fica como está. Se as respostas ficarem lentas, envie /compress para tentar de novo ou /new para recomeçar.',
  mainTookOver:
    '{failed}, que escreve os meus resumos, falhou, por isso {wrote} escreveu o último e leu de novo a parte mais antiga da nossa conversa a preço inteiro. Nada se perde.',
  fellBack: '{from} não responde ({why}); em vez dele responde {to}. {price}',
  cameBack: 'Volta a tentar-se {to} em vez de {from}. {price}',
  fullPrice: 'Lê de novo toda a conversa a preço inteiro, cerca de {tokens} tokens.',
  becauseOverflow: 'a conversa já não cabe, mesmo condensada',
  becauseBusy: 'está ocupado',
  becauseQuota: 'o limite da conta esgotou-se',
  becauseSetup: 'não pode ser usado como está configurado',
  becauseUnreachable: 'não é possível contactá-lo',
  answersUsedUp:
    'As suas respostas de hoje ({limit}) esgotaram-se. A contagem recomeça à meia-noite UTC. A sua mensagem fica guardada.',
  budgetUsedUp:
    'O seu orçamento de hoje ({limit}) esgotou-se, por isso não posso responder agora. Recomeça à meia-noite UTC. A sua mensagem fica guardada.',
  botBudgetUsedUp:
    'O orçamento de hoje deste bot ({limit}) esgotou-se, por isso não posso responder agora. Recomeça à meia-noite UTC. A sua mensagem fica guardada.',
  answersNearlyUsed: 'Usou {used} das suas {limit} respostas de hoje.',
  budgetNearlyUsed: 'Usou {used} do seu orçamento de hoje ({limit}); restam {left}.',
  botBudgetNearlyUsed: 'Foram usados {used} do orçamento de hoje deste bot ({limit}); restam {left}.',
  fileTooLarge: 'Tenho o ficheiro {name} para ti, mas tem {size}, e aqui não posso enviar mais de {limit}.',
  fileNotTaken: 'Tenho o ficheiro {name} para ti, mas não pode ser enviado aqui.',
  menu: {
    new: 'começar um novo capítulo; o anterior continua pesquisável',
    reset: 'terminar esta sessão e começar outra; tudo continua pesquisável',
    stop: 'interromper a resposta em curso',
    status: 'quão cheio está o contexto e o que corre',
    queue: 'o que espera atrás da resposta em curso; com um modo: o que acontece com isso',
    compress: 'condensar já o mais antigo; um tema fica em detalhe, --preview só mostra',
    model: 'modelos à escolha; com um nome: usá-lo; default: voltar',
    undo: 'retirar a última troca; com um número: as últimas tantas',
    retry: 'responder de novo à sua última mensagem',
    undo_compaction: 'desfazer a última condensação',
    engine: 'que motor mantém o contexto pequeno; com um nome: escolher outro',
    usage: 'tokens e custo da última resposta, da conversa e do seu dia',
    context: 'o que enche a janela do modelo, por partes',
    title: 'como se chama esta conversa; com um texto: dar-lhe nome',
    sessions: 'conversas daqui, as mais novas primeiro; com palavras: procurar um título',
    resume: 'continuar outra das suas conversas: número, id ou título',
    link: 'continuar esta conversa a partir da sua outra conta',
    unlink: 'voltar a separar esta conta das outras',
    forget: 'apagar tudo o que se sabe de si, após confirmação',
    whoami: 'os seus ids, para o operador',
    help: 'esta lista',
  },
};
