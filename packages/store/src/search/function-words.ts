/**
 * The words that hold sentences together, as `searchWords` folds them (no accents). They tell a text's language, and a
 * query that has other words does without them. Pronouns, articles, prepositions, conjunctions, auxiliary verbs and
 * question words only: no word that names a thing.
 */
export const functionWords = {
  english:
    'a an the and or but if of at by for with about to from in on is are was were be been being am do does did doing have has had having i me my mine we us our ours you your yours he him his she her hers it its they them their theirs what which who whom whose this that these those not no nor so than too very can will just should would could may might must shall s t d ll m re ve how when where why there here as into out up down over under again then once any some both each few more most other own same such only off during before after while because until between through against',
  german:
    'der die das den dem des ein eine einen einem einer eines und oder aber wenn von zu zum zur mit bei nach aus auf an am im in ins fur uber unter vor hinter ist sind war waren sein bin bist hat habe haben hatte hatten wird werden wurde wurden kann konnen konnte muss mussen soll sollen will wollen ich du er sie es wir ihr mich dich sich uns euch ihm ihn ihnen mein meine dein deine seine unser unsere was welche welcher welches wer wen wem wessen wie wann wo warum nicht kein keine so auch nur noch schon sehr als dass da dort hier dann denn doch',
  french:
    'le la les l un une des du de d et ou mais si a au aux avec pour par sur sous dans en est sont etait etaient etre suis es avons avez ont ai as avait avaient je tu il elle on nous vous ils elles me te se lui leur mon ma mes ton ta tes son sa ses notre votre nos vos leurs ce cet cette ces qui que quoi dont ou quand comment pourquoi quel quelle quels quelles ne pas plus tres aussi comme c j n s t m y qu',
  spanish:
    'el la los las un una unos unas de del y o pero si a al con para por sobre en entre es son era eran ser estar esta estan estaba he has ha hemos han habia yo tu el ella nosotros vosotros ellos ellas me te se le les nos mi mis tus su sus nuestro nuestra este esta estos estas ese esa eso que quien quienes cual cuales cuando como donde porque no mas muy tambien lo ya',
  italian:
    'il lo la i gli le un uno una di del dello della dei degli delle e o ma se a al allo alla ai agli alle con per su in nel nella tra fra da dal dalla e sono era erano essere ho hai ha abbiamo avete hanno aveva io tu lui lei noi voi loro mi ti si ci vi mio mia tuo tua suo sua nostro questo questa questi queste quello quella che chi cui quale quali quando come dove perche non piu molto anche',
  portuguese:
    'o a os as um uma uns umas de do da dos das e ou mas se ao aos com para por pelo pela em no na nos nas entre e sao era eram ser estar esta estao tenho tem temos eu tu ele ela nos vos eles elas me te lhe meu minha teu tua seu sua nosso nossa este esta isto esse essa isso aquele que quem qual quais quando como onde porque nao mais muito tambem ja',
  russian:
    'и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по только ее мне было вот от меня еще нет о из ему теперь когда даже ну ли если уже или ни быть был него до вас нибудь вам ведь там потом себя ничего ей может они тут где есть надо ней для мы тебя их чем была сам чтоб без будто чего раз тоже себе под будет тогда кто этот того потому этого какои какая какие при об этом мои почему',
} as const;
