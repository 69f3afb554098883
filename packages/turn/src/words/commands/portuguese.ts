import type { CommandWords } from './command-words.ts';

export const portugueseCommands: CommandWords = {
  language: 'pt',
  messageForms: 'mensagem|mensagens',
  conversationForms: 'conversa|conversas',
  busyCollect:
    'Ainda estou a escrever. O que enviares entretanto é respondido em conjunto, logo a seguir; /stop termina a resposta.',
  busyFollowup:
    'Ainda estou a escrever. O que enviares entretanto é respondido um a um, logo a seguir; /stop termina a resposta.',
  busySteer:
    'Estou a tratar disso. O que enviares entretanto chega-me no próximo passo; se não, é respondido logo a seguir.',
  mailboxFull:
    'Já há demasiadas mensagens à espera; esta não foi aceite, nem o que se segue. Envia-a de novo quando eu tiver respondido.',
  pairingUnknown: 'Ainda não te conheço, por isso não li a tua mensagem.',
  pairingCode: 'Se o operador deste bot te deve deixar entrar, dá-lhe este código: {code}',
  pairingHow:
    '(para ele: palimpsest access approve CODE). Serve uma vez, durante uma hora. Depois escreve-me de novo.',
  mediaTooLarge:
    'Esse ficheiro é grande demais para mim: aceito até {limit}. Envia um mais pequeno ou a parte que interessa.',
  mediaLost: 'Não consegui obter esse ficheiro. Envia-o de novo.',
  queueCollect: 'o que enviares entretanto é respondido em conjunto, logo a seguir',
  queueFollowup: 'o que enviares entretanto é respondido um a um, logo a seguir',
  queueInterrupt: 'uma mensagem nova para a resposta e é respondida de imediato',
  queueSteer:
    'o que enviares entretanto chega à resposta no próximo passo; se não, é respondido logo a seguir',
  queueMode: 'Enquanto escrevo, {what} ({mode}, {why}).',
  bySetting: 'segundo a configuração do serviço',
  chosenHere: 'escolhido para esta conversa',
  queueNoMode:
    'Não há nenhum modo {mode}; nada foi alterado. Há: {modes}; default volta à configuração do serviço.',
  queueAdminsOnly:
    'Num grupo só os operadores deste bot mudam o que acontece às mensagens à espera; nada foi alterado.',
  answerRuns: 'Está a ser escrita uma resposta; /stop termina-a.',
  noAnswerRuns: 'Não há nada em curso.',
  nothingWaits: 'Nada espera.',
  oneWaits: '{what} espera, o mais antigo há {time}.',
  severalWait: '{what} esperam, o mais antigo há {time}.',
  and: 'e',
  operatorsOnly: '/{name} é para os operadores deste bot; nada foi alterado.',
  noCommand: 'Não há nenhum comando /{name}.',
  newChapter: 'Começa um novo capítulo.',
  newChapterKept: 'Começa um novo capítulo. O que foi dito antes continua a poder ser procurado.',
  chapterNotClosed: 'Não foi possível fechar o capítulo ({reason}).',
  freshConversation: 'Começa uma conversa nova.',
  noTitle: 'Esta conversa ainda não tem título; /title TEXTO dá-lhe um.',
  titleIs: 'Esta conversa chama-se {title}; /title TEXTO dá-lhe outro título.',
  titleTooLong: 'Um título tem no máximo {limit} caracteres; este tem {count}.',
  titleTaken: 'Outra conversa aqui já se chama {title}; escolhe outro título.',
  titleGiven: 'A partir de agora esta conversa chama-se {title}.',
  noSuchTitle: 'Nenhuma conversa aqui tem {words} no título ou id.',
  moreSessions: '… e mais {count}; /sessions PALAVRAS procura um título.',
  resumeHow: '/resume NÚMERO continua com uma delas.',
  nothingSaid: 'nada dito ainda',
  thisOne: 'esta',
  ago: 'há {time}',
  resumeDirectOnly:
    '/resume só funciona em mensagens diretas com o bot: uma conversa nunca passa de um grupo para uma pessoa.',
  inAlready: 'Este chat já está em {name}.',
  goesOnWith:
    'Este chat continua com {name} ({messages}). /resume {id} volta atrás; nada se perde de nenhuma.',
  sessionsHow: '/sessions mostra-as; /resume aceita um número dessa lista, um id ou um título.',
  whichOne: 'Qual?',
  noNumber: 'Não há nenhum número {number}.',
  fitsSeveral: 'Isso corresponde a {conversations}.',
  noConversation: 'Não há tal conversa aqui.',
  retryPeopleOnly: 'Só quem está no chat pode ter a sua mensagem respondida de novo.',
  retryNothing: 'Não há nada a responder de novo.',
  retryCondensed:
    'O que foi dito por último está num resumo, por isso não pode ser respondido de novo. Escreve-o outra vez.',
  retryNotYours: 'A última mensagem aqui não é tua; quem a escreveu pode pedir outra resposta.',
  retried: 'A tua última mensagem é respondida de novo; a resposta anterior já não conta.',
  undoArgument: '/undo aceita um número inteiro de 1 a {most}, como /undo 2.',
  undoAtSummary:
    'O que foi dito antes está num resumo e não pode ser retirado aos poucos. /undo_compaction recupera-o primeiro palavra por palavra.',
  undoNothing: 'Não há nada a retirar.',
  undoneOne: 'Retirada: a última troca ({messages}). O modelo já não a lê nem encontra.',
  undoneMany: 'Retiradas: as últimas {count} trocas ({messages}). O modelo já não as lê nem encontra.',
  undoNotAll: ' Não {count}: o que foi dito antes está num resumo.',
  undoNoMore: ' Não havia mais.',
  backNone: 'Não há nenhuma condensação a desfazer.',
  backRotated:
    'Ao condensar, esta conversa passou para uma sessão nova (compression.in_place é false), por isso não pode ser desfeito. O que foi dito antes continua a poder ser procurado.',
  backOtherEngine:
    'A última condensação foi feita pelo motor {engine}, que guarda um estado próprio; assim não pode ser desfeita.',
  backTooBig:
    'Não pode ser desfeito: a conversa voltaria a ter cerca de {tokens} tokens, e cabem no máximo {limit} no modelo com espaço para uma resposta. O que foi dito antes continua a poder ser procurado.',
  backSummaries: 'os resumos anteriores voltam a estar como estavam',
  backMessages: '{count} mensagens estão de novo na conversa, palavra por palavra',
  backDone: 'Desfeito: {what}; cerca de {before} → {after} tokens. {next}',
  backNearlyFull:
    'Ocupa quase tudo o que o modelo aceita, por isso a próxima mensagem vai condensá-la de novo.',
  backResting: 'Não volta a ser condensada antes de ter crescido.',
  linkDirectOnly: 'As contas só se ligam em mensagens diretas com o bot: mais ninguém deve ver o código.',
  linkNotLocal: 'O chat web local é de quem opera este bot; só se ligam contas do Telegram e do Discord.',
  linkNotHere: 'Aqui não se podem ligar contas.',
  linkSend: 'Envia-me isto numa mensagem direta da tua outra conta, dentro de uma hora: /link {code}',
  linkWarning:
    'Esse chat continua então esta conversa. Quem tiver o código pode ler o que aqui se diz; não o mostres a ninguém.',
  linked:
    'Ligado à tua conta no {platform}. Este chat continua a conversa de lá; /sessions mostra as de ambas, /unlink separa-as de novo.',
  linkOwnCode: 'Esse código é o teu. Envia-mo da tua outra conta.',
  linkLocked: 'Houve demasiados códigos errados. Tenta de novo daqui a {minutes} minutos.',
  linkFifthWrong:
    'Esse código está errado ou tem mais de uma hora, e foi o quinto seguido. Tenta daqui a uma hora.',
  linkWrong:
    'Esse código está errado ou tem mais de uma hora. Envia /link da tua outra conta para obter outro.',
  unlinked:
    'Esta conta volta a estar sozinha. Uma conversa partilhada fica onde começou; o outro lado começa uma nova com a próxima mensagem.',
  notLinked: 'Esta conta não está ligada a nenhuma outra. /link dá um código para isso.',
  forgetDirectOnly: 'Envia-me /forget num chat direto.',
  forgetAsk:
    'Isto apaga tudo o que sei de ti, neste chat e em grupos: o que disseste, resumos disso, ficheiros e quem és. Não pode ser desfeito. Para continuar envia /forget {code} dentro de 10 minutos.',
  forgetWrong: 'Esse código está errado ou tem mais de 10 minutos. Envia /forget para obter outro.',
  forgotten:
    'Apagado: {messages} mensagens em {sessions} conversas, {quotes} citações delas, {summaries} resumos, {files} ficheiros. De ti já só sei o endereço deste chat.',
  whoami: 'És {user} no {platform}, conta do bot {account}, chat {chat}{thread} ({kind}).',
  youAreAdmin: ' És administrador aqui.',
  linkedWith: ' Ligado a {accounts}.',
  engineUnknown: 'Não há nenhum motor de contexto {name}. {names}',
  engineAlready: 'Esta conversa já usa {name}.',
  engineSame: 'Esta conversa usa {name}{why}; nada muda.',
  engineFromNext:
    'A partir da próxima mensagem esta conversa usa {name}{why}. O modelo lê-a então uma vez ao preço inteiro.',
  asServiceSet: ', segundo a configuração do serviço',
  engineIs: 'Esta conversa usa o motor de contexto {engine}.{change} É {why}. {names}',
  engineNext: ' A partir da próxima mensagem: {name}.',
  serviceSetting: 'a configuração do serviço',
  engineNames: 'Há: {names}.',
  engineHow: '/engine NOME escolhe um, /engine default volta à configuração do serviço.',
  condensedNow:
    'Condensado: {rowsBefore} → {rowsAfter} mensagens, cerca de {before} → {after} tokens.{how} As linhas antigas continuam a poder ser procuradas.',
  condensedPlain: ' O modelo de resumos falhou, por isso há um resumo local simples no seu lugar.',
  condenseAsked: 'Com a tua próxima mensagem pede-se ao modelo que condense primeiro as partes terminadas.',
  asItWas: '{why} A conversa está como estava.',
  unchangedRecent: 'Ainda não há nada a condensar: tudo na conversa é recente ou já é um resumo.',
  unchangedModelAsked:
    'O modelo condensa esta conversa ele próprio; /compress pede-lho com a tua próxima mensagem.',
  unchangedOff: 'Condensar está desligado aqui; o operador pode mudar isso.',
  unchangedShort: 'Ainda não há nada a condensar: a conversa ainda é curta.',
  unchangedResting:
    'A última tentativa não resultou e a pausa que se segue não acabou. Tenta daqui a uns minutos.',
  unchangedBreaker:
    'Condensar não ajudou nas duas últimas vezes, por isso faz uma pausa. Tenta daqui a uns minutos.',
  unchangedTooOften: 'Esta conversa foi condensada muitas vezes na última hora. Tenta mais tarde.',
  unchangedTimeout: 'O resumo demorou demasiado. Tenta daqui a um bocado.',
  unchangedBusy: 'O modelo que escreve resumos está ocupado ou não responde. Tenta daqui a um bocado.',
  unchangedSetup:
    'O modelo que escreve resumos não pode ser usado como está configurado. O operador vê porquê no registo.',
  unchangedSmall: 'O modelo que escreve resumos é pequeno demais para ler a parte antiga desta conversa.',
  unchangedUnusable: 'O modelo não escreveu um resumo utilizável. Tenta de novo.',
  unchangedMoved: 'A conversa mudou entretanto. Tenta de novo.',
  unchangedStopped: 'A condensação foi parada.',
  unchangedFailed: 'Desta vez não foi possível condensar. O operador vê porquê no registo.',
};
