#include "analyzer/extract/extract.h"

#include <clang/AST/ASTConsumer.h>
#include <clang/Basic/Diagnostic.h>
#include <clang/Basic/DiagnosticOptions.h>
#include <clang/Basic/FileManager.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Frontend/Utils.h>
#include <clang/Lex/PPCallbacks.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Tooling/Tooling.h>
#include <llvm/Support/BLAKE3.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/VirtualFileSystem.h>
#include <llvm/Support/thread.h>

#include <algorithm>
#include <memory>

#include "analyzer/extract/collect.h"
#include "analyzer/extract/function_lowering.h"
#include "analyzer/extract/records.h"
#include "analyzer/extract/supplied_files.h"
#include "analyzer/extract/suppressions.h"
#include "analyzer/extract/translate_command.h"

namespace stridelock::extract {
namespace {

// Clang recurses over syntax; a sum of some thousand terms, as generators write, needs more than the usual 8 MiB.
constexpr unsigned stack_bytes = 256U << 20U;

// Errors as data. Warnings are switched off on the command line.
class error_collector : public clang::DiagnosticConsumer {
 public:
  error_collector(ir::unit& unit, const extract_options& options) : unit_(unit), options_(options) {}

  void BeginSourceFile(const clang::LangOptions& language, const clang::Preprocessor* preprocessor) override {
    if (preprocessor) {
      files_ = std::make_unique<project_files>(options_, preprocessor->getSourceManager(), language);
    }
  }
  void EndSourceFile() override { files_.reset(); }

  void HandleDiagnostic(clang::DiagnosticsEngine::Level level, const clang::Diagnostic& diagnostic) override {
    clang::DiagnosticConsumer::HandleDiagnostic(level, diagnostic);
    if (level < clang::DiagnosticsEngine::Error) return;
    ++unit_.error_count;
    if (unit_.diagnostics.size() >= options_.max_diagnostics) return;
    llvm::SmallString<256> text;
    diagnostic.FormatDiagnostic(text);
    ir::diagnostic made;
    made.message = std::string_view(text.data(), text.size());
    if (files_ && diagnostic.hasSourceManager()) made.where = files_->where(diagnostic.getLocation());
    unit_.diagnostics.push_back(std::move(made));
  }

 private:
  ir::unit& unit_;
  const extract_options& options_;
  std::unique_ptr<project_files> files_;
};

class comment_collector : public clang::CommentHandler {
 public:
  comment_collector(ir::unit& unit, const project_files& files) : unit_(unit), files_(files) {}

  bool HandleComment(clang::Preprocessor& preprocessor, clang::SourceRange comment) override {
    const clang::SourceManager& sources = preprocessor.getSourceManager();
    bool invalid = false;
    const char* first = sources.getCharacterData(comment.getBegin(), &invalid);
    const char* last = invalid ? first : sources.getCharacterData(comment.getEnd(), &invalid);
    if (invalid || last <= first) return false;
    const std::string_view text(first, static_cast<std::size_t>(last - first));
    if (text.find("NOLINT") == std::string_view::npos || !files_.in_roots(comment.getBegin())) return false;
    const ir::location where = files_.where(comment.getBegin());
    for (ir::suppression& one : suppressions_in(text, where.file, where.line))
      unit_.suppressions.push_back(one);
    return false;
  }

 private:
  ir::unit& unit_;
  const project_files& files_;
};

// Counts regions that exist only in the device pass.
class device_regions : public clang::PPCallbacks {
 public:
  device_regions(ir::unit& unit, const project_files& files, clang::Preprocessor& preprocessor)
      : unit_(unit), files_(files), preprocessor_(preprocessor) {}

  void If(clang::SourceLocation at, clang::SourceRange range, ConditionValueKind value) override {
    condition(at, at, range, value == CVK_True);
  }
  void Elif(clang::SourceLocation at, clang::SourceRange range, ConditionValueKind value,
            clang::SourceLocation opening) override {
    condition(at, opening, range, value == CVK_True);
  }
  void Ifdef(clang::SourceLocation at, const clang::Token& name,
             const clang::MacroDefinition& macro) override {
    if (is_arch(name)) taken(at, at, static_cast<bool>(macro));
  }
  void Ifndef(clang::SourceLocation at, const clang::Token& name,
              const clang::MacroDefinition& macro) override {
    if (is_arch(name)) taken(at, at, !macro);
  }
  void Else(clang::SourceLocation, clang::SourceLocation opening) override {
    if (host_sides_.contains(opening)) ++unit_.hidden_by_cuda_arch;
  }

 private:
  static bool is_arch(const clang::Token& name) {
    return name.getIdentifierInfo() && name.getIdentifierInfo()->getName() == "__CUDA_ARCH__";
  }
  void condition(clang::SourceLocation at, clang::SourceLocation opening, clang::SourceRange range,
                 bool is_true) {
    const ir::name text = files_.spelling(range);
    if (text.view().find("__CUDA_ARCH__") != std::string_view::npos) taken(at, opening, is_true);
  }
  void taken(clang::SourceLocation at, clang::SourceLocation opening, bool is_true) {
    if (!files_.in_roots(at)) return;
    if (is_true) {
      host_sides_.insert(opening);
    } else {
      ++unit_.hidden_by_cuda_arch;
    }
  }

  ir::unit& unit_;
  const project_files& files_;
  [[maybe_unused]] clang::Preprocessor& preprocessor_;
  llvm::DenseSet<clang::SourceLocation> host_sides_;  // the #else of these is the device's
};

class every_dependency : public clang::DependencyCollector {
 public:
  bool needSystemDependencies() override { return true; }
};

class consumer : public clang::ASTConsumer {
 public:
  consumer(ir::unit& unit, const extract_options& options, clang::CompilerInstance& compiler)
      : unit_(unit),
        options_(options),
        compiler_(compiler),
        files_(options, compiler.getSourceManager(), compiler.getLangOpts()),
        comments_(unit, files_) {
    clang::Preprocessor& preprocessor = compiler.getPreprocessor();
    preprocessor.addCommentHandler(&comments_);
    if (compiler.getLangOpts().CUDA) {
      preprocessor.addPPCallbacks(std::make_unique<device_regions>(unit, files_, preprocessor));
    }
  }

  // Bodies of functions outside the roots are not needed, and they are most of the cost of a parse. Clang itself
  // keeps those that it must evaluate or whose type it deduces.
  bool shouldSkipFunctionBody(clang::Decl* declaration) override {
    return !files_.in_roots(declaration->getLocation());
  }

  void HandleTranslationUnit(clang::ASTContext& ast) override {
    clang::Preprocessor& preprocessor = compiler_.getPreprocessor();
    preprocessor.removeCommentHandler(&comments_);
    unit_.asserts_disabled = preprocessor.isMacroDefined("NDEBUG");
    unit_.per_thread_default_stream =
        preprocessor.isMacroDefined("CUDA_API_PER_THREAD_DEFAULT_STREAM") ||
        compiler_.getLangOpts().GPUDefaultStream == clang::LangOptions::GPUDefaultStreamKind::PerThread;
    identity names(ast, files_);
    type_names types(ast, names);
    collected code = collect(ast, files_, names);
    unit_.templates_without_instance = code.templates_without_instance;
    unit_context context{ast, files_, names, types, options_.max_instructions, {}};
    for (const clang::FunctionDecl* one : code.definitions) {
      unit_.functions.push_back(function_lowering(context, *one).run());
    }
    for (const clang::FunctionDecl* one : code.declarations) {
      unit_.functions.push_back(function_lowering(context, *one).run());
    }
    unit_.records = lower_records(code, names, types);
    unit_.constructed.assign(context.constructed.begin(), context.constructed.end());
  }

 private:
  ir::unit& unit_;
  const extract_options& options_;
  clang::CompilerInstance& compiler_;
  project_files files_;
  comment_collector comments_;
};

class action : public clang::ASTFrontendAction {
 public:
  action(ir::unit& unit, const extract_options& options) : unit_(unit), options_(options) {}
  bool ran() const { return ran_; }

 protected:
  bool BeginSourceFileAction(clang::CompilerInstance& compiler) override {
    compiler.getDiagnostics().setErrorLimit(0);
    // After a missing header Clang would go quiet and find nothing more.
    compiler.getDiagnostics().setFatalsAsError(true);
    return true;
  }
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& compiler,
                                                        llvm::StringRef) override {
    ran_ = true;
    return std::make_unique<consumer>(unit_, options_, compiler);
  }

 private:
  ir::unit& unit_;
  const extract_options& options_;
  bool ran_ = false;
};

class runner : public clang::tooling::ToolAction {
 public:
  runner(ir::unit& unit, const extract_options& options) : unit_(unit), options_(options) {}

  bool runInvocation(std::shared_ptr<clang::CompilerInvocation> invocation, clang::FileManager* files,
                     std::shared_ptr<clang::PCHContainerOperations> containers,
                     clang::DiagnosticConsumer* diagnostics) override {
    invocation->getFrontendOpts().SkipFunctionBodies = true;
    invocation->getFrontendOpts().DisableFree = false;
    clang::CompilerInstance compiler(std::move(containers));
    compiler.setInvocation(std::move(invocation));
    compiler.setFileManager(files);
    compiler.setVerboseOutputStream(llvm::nulls());  // "2 warnings generated"
    compiler.createDiagnostics(diagnostics, /*ShouldOwnClient=*/false);
    if (!compiler.hasDiagnostics()) return false;
    compiler.createSourceManager(*files);
    auto dependencies = std::make_shared<every_dependency>();
    compiler.addDependencyCollector(dependencies);
    action extracting(unit_, options_);
    compiler.ExecuteAction(extracting);
    ran_ = extracting.ran();
    for (const std::string& one : dependencies->getDependencies()) {
      if (!llvm::StringRef(one).starts_with("/stridelock-supplied/")) unit_.dependencies.emplace_back(one);
    }
    files->clearStatCache();
    return true;
  }
  bool ran() const { return ran_; }

 private:
  ir::unit& unit_;
  const extract_options& options_;
  bool ran_ = false;
};

llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> file_system(const extract_options& options) {
  auto memory = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  for (const supplied_file& one : supplied_files()) {
    memory->addFile(one.path, 0, llvm::MemoryBuffer::getMemBuffer(one.content));
  }
  for (const auto& [path, text] : options.overlay) {
    memory->addFile(path, 0, llvm::MemoryBuffer::getMemBufferCopy(text));
  }
  // Its own working directory: the process's stays as it is.
  auto overlay = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(
      llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>(llvm::vfs::createPhysicalFileSystem().release()));
  overlay->pushOverlay(memory);
  return overlay;
}

void fail(ir::unit& unit, std::string why) {
  unit.state = ir::unit_state::failed;
  ++unit.error_count;
  unit.diagnostics.insert(unit.diagnostics.begin(), ir::diagnostic{{}, why});
}

void run(const translated_command& command, const compile_command& given, const extract_options& options,
         ir::unit& unit) {
  llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> system = file_system(options);
  if (!given.directory.empty() && system->setCurrentWorkingDirectory(given.directory)) {
    return fail(unit, "the folder '" + given.directory + "' of the compile command does not exist");
  }
  if (!system->exists(command.main_file))
    return fail(unit, "the file '" + command.main_file + "' does not exist");
  llvm::IntrusiveRefCntPtr<clang::FileManager> files(
      new clang::FileManager(clang::FileSystemOptions(), system));
  error_collector errors(unit, options);
  runner running(unit, options);
  std::vector<std::string> arguments = command.arguments;
  // Otherwise __FILE__ in a check macro would put the checkout's folder into the IR.
  if (!options.project_root.empty()) {
    arguments.insert(arguments.end() - 2, "-fmacro-prefix-map=" + options.project_root + "/=");
  }
  clang::tooling::ToolInvocation invocation(arguments, &running, files.get(),
                                            std::make_shared<clang::PCHContainerOperations>());
  invocation.setDiagnosticConsumer(&errors);
  auto diagnostic_options = llvm::makeIntrusiveRefCnt<clang::DiagnosticOptions>();
  invocation.setDiagnosticOptions(diagnostic_options.get());
  invocation.run();
  if (!running.ran()) {
    unit.state = ir::unit_state::failed;
    if (unit.diagnostics.empty()) fail(unit, "Clang does not accept the compile command");
  } else if (unit.error_count > 0) {
    unit.state = ir::unit_state::degraded;
  }
}

translate_options translation_of(const extract_options& options) {
  return {options.resource_dir, options.cuda_path};
}

std::string digest_of(const translated_command& translated, const compile_command& command) {
  llvm::BLAKE3 hash;
  const auto add = [&](std::string_view text) {
    hash.update(llvm::StringRef(text.data(), text.size()));
    hash.update(llvm::StringRef("\0", 1));
  };
  add("stridelock extract " + std::to_string(ir::schema_version));
  add(command.directory);
  add(translated.main_file);
  for (const std::string& one : translated.arguments) add(one);
  static constexpr char digits[] = "0123456789abcdef";
  std::string out;
  for (const std::uint8_t byte : hash.final<16>()) {
    out += digits[byte >> 4U];
    out += digits[byte & 0xFU];
  }
  return out;
}

void sort(ir::unit& unit) {
  std::stable_sort(unit.functions.begin(), unit.functions.end(),
                   [](const ir::function& a, const ir::function& b) { return a.symbol < b.symbol; });
  unit.suppressions = joined_suppressions(std::move(unit.suppressions));
}

}  // namespace

std::string command_digest(const compile_command& command, const extract_options& options) {
  return digest_of(translate(command, translation_of(options)), command);
}

ir::unit extract(const compile_command& command, const extract_options& options) {
  ir::unit unit;
  const translated_command translated = translate(command, translation_of(options));
  unit.command_digest = digest_of(translated, command);
  {
    llvm::StringRef root(options.project_root);
    llvm::StringRef file(translated.main_file.empty() ? command.file : translated.main_file);
    if (!root.empty() && file.consume_front(root)) file = file.ltrim('/');
    unit.main_file = std::string_view(file.data(), file.size());
  }
  if (!translated.error.empty()) {
    fail(unit, translated.error);
    return unit;
  }
  llvm::thread worker(std::optional<unsigned>(stack_bytes), [&] { run(translated, command, options, unit); });
  worker.join();
  sort(unit);
  return unit;
}

}  // namespace stridelock::extract
